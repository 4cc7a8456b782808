//@ cc: -fsanitize=signed-integer-overflow
//@ paths: 2
#include <klee/klee.h>

int main(void) {
  int x, y;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&y, sizeof y, "y");
  volatile int sum = x + y; //~ integer-overflow
  return 0;
}
