// An offset larger than what tells two users of one place from each other.
static int depth(int n) {
  int values[4] = {n};
  return n ? depth(n - 1) + values[0] : 0;
}

static int far(long offset) {
  int values[4] = {1, 2, 3, 4};
  return values[offset]; //~ out-of-bounds-read
}

int main(void) {
  for (int i = 0; i < 3; i++)
    depth(5);
  return far(10000000);
}
