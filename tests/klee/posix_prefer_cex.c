//@ paths: 2
#include <klee/klee.h>

int main(void) {
  char c;
  klee_make_symbolic(&c, 1, "c");
  klee_posix_prefer_cex(&c, c == 'a');
  if (c > 'm') return 1;
  return 0;
}
