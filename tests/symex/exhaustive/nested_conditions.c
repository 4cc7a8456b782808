// Conditions of several parts, with and without short circuits.
//@ domain: a=1 b=1
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
  unsigned char a, b;
  klee_make_symbolic(&a, 1, "a");
  klee_make_symbolic(&b, 1, "b");
  int status = 0;
  if ((a > 10 && b > 10) || (a < 3 && !(b & 1))) {
    status = 1;
    if ((a ^ b) == 0xff) status = 2;
    else if (a == b) puts("equal");
  } else if ((a & b) | (a == 5)) {
    status = b > a ? 3 : 4;
  }
  if (a + b > 500) status += 10;
  return status;
}
