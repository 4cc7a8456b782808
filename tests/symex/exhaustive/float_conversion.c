// Integers to floats and back.
//@ domain: n=2
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
  short n;
  klee_make_symbolic(&n, sizeof n, "n");
  float f = n;
  double third = n / 3.0;
  int status = 0;
  if ((short)f != n) status |= 1;
  if ((int)third * 3 == n) status |= 2;
  if (f * 0.5f > 8000.25f) status |= 4;
  if ((unsigned char)(int)(third < 0 ? -third : third) == 200) puts("two hundred");
  return status;
}
