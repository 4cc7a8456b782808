// False whatever the input is.
//@ paths: 2
#include <klee/klee.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 7) klee_assume(0); //~ invalid-assumption
  return 0;
}
