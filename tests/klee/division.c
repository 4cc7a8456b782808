//@ paths: 2
#include <klee/klee.h>

int main(void) {
  unsigned x;
  klee_make_symbolic(&x, sizeof x, "x");
  return 100 / x; //~ division-by-zero
}
