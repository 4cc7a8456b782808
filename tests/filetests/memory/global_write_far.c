static double grid[4][4];

static void set(int row, int column) {
  grid[row][column] = 1.5; //~ out-of-bounds-write
}

int main(void) {
  set(3, 3);
  set(3000, 3);
  return 0;
}
