// A table of labels is a global that cannot be read, a jump through it cannot be taken.
int run(int n) {
  static void *const table[] = {&&one, &&two};
  goto *table[n & 1];
one:
  return 1;
two:
  return 2;
}
