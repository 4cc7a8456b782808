// One byte, two ways.
//@ paths: 2
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 3) return 1;
  return 0;
}
