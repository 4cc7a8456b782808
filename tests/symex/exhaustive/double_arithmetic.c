// Rounding in double precision.
//@ domain: n=1
#include <klee/klee.h>
#include <math.h>
#include <stdio.h>

int main(void) {
  unsigned char n;
  klee_make_symbolic(&n, 1, "n");
  double x = n * 0.1;
  int status = 0;
  if (x + 0.2 == (n + 2) * 0.1) status |= 1;
  if (floor(x) == x) status |= 2;
  if (fabs(x - 12.5) < 1.0) status |= 4;
  double root = sqrt(n);
  if (root == (int)root) printf("a square\n");
  return status;
}
