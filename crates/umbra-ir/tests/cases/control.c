//@ flags: -O1
// Loops, switches and choices: phis become block parameters.
int loop(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += i * i ^ sum;
  return sum;
}

int table(unsigned char c, int x) {
  switch (c) {
  case 'a':
    return x * 3;
  case 'b':
  case 'c':
    return x / 7;
  case 255:
    return -x;
  default:
    return x > 5 ? x : 0;
  }
}
