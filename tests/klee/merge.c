// Merging is accepted and not done: the paths stay two.
//@ paths: 2
#include <klee/klee.h>

int main(void) {
  int x, y;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_open_merge();
  if (x) y = 1;
  else y = 2;
  klee_close_merge();
  return y;
}
