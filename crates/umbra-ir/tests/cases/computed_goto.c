// The address of a label is a number, a jump through it a switch. Labels that are only looked at come last.
int run(int n) {
  static void *const table[] = {&&one, &&two};
  static const int distance = &&two - &&one;
  if (n == 7)
    return distance;
  goto *table[n & 1];
one:
  return 1;
two:
  return 2;
}

void *look(int n) {
  if (n)
    goto here;
  return &&here;
here:
  return 0;
}
