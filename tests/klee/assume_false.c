// No input of the path meets it.
//@ paths: 1
#include <klee/klee.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_assume(x > 5);
  klee_assume(x < 4); //~ invalid-assumption
  return 0;
}
