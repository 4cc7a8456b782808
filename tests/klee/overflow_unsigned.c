//@ cc: -fsanitize=unsigned-integer-overflow
//@ paths: 2
#include <klee/klee.h>

int main(void) {
  unsigned x;
  klee_make_symbolic(&x, sizeof x, "x");
  volatile unsigned next = x + 1; //~ integer-overflow
  return 0;
}
