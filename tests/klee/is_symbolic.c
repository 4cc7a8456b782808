//@ paths: 1
//@ replay: no, natively nothing is symbolic
#include <klee/klee.h>

int main(void) {
  int x, y = 3;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_assert(klee_is_symbolic(x));
  klee_assert(!klee_is_symbolic(y));
  return 0;
}
