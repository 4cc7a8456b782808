static short at(short *a, int i) {
  return a[i]; //~ out-of-bounds-read
}

int main(void) {
  short values[3] = {1, 2, 3};
  return at(values, -1);
}
