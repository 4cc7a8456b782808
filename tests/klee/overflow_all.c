// Each kind of arithmetic on a line of its own.
//@ cc: -fsanitize=undefined
//@ paths: 8
#include <klee/klee.h>

int main(void) {
  int x, y;
  unsigned char which;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&y, sizeof y, "y");
  klee_make_symbolic(&which, 1, "which");
  volatile int result = 0;
  switch (which & 3) {
  case 0: result = x - y; break;     //~ integer-overflow
  case 1: result = -x; break;        //~ integer-overflow
  case 2: result = (short)x * y; break; //~ integer-overflow
  default: result = x + 1; break;    //~ integer-overflow
  }
  return 0;
}
