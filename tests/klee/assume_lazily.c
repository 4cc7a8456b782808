// The operators && and || in an assumption are branches: of the two ways to meet it, each is a path.
//@ paths: 2
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, 1, "x");
  klee_assume(x < 3 || x > 250);
  return 0;
}
