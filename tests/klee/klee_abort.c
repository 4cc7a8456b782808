//@ paths: 2
#include <klee/klee.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 1) klee_abort(); //~ abort
  return 0;
}
