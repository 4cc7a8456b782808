// Without the check a shift is what the processor makes of it.
//@ paths: 2
#include <klee/klee.h>

int main(void) {
  unsigned x;
  klee_make_symbolic(&x, sizeof x, "x");
  if ((1u << x) == 8) return 1;
  return 0;
}
