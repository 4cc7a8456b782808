// A wish is no constraint.
//@ paths: 2
#include <klee/klee.h>

int main(void) {
  char c;
  klee_make_symbolic(&c, 1, "c");
  klee_prefer_cex(&c, c >= 'a' && c <= 'z');
  return 0;
}
