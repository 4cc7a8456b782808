//@ cc: -fsanitize=unreachable
//@ paths: 2
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, 1, "x");
  if (x == 99) __builtin_unreachable(); //~ unreachable
  return 0;
}
