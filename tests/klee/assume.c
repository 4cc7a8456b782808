// What is assumed away has no path.
//@ paths: 1
#include <klee/klee.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_assume(x > 5);
  return x < 4;
}
