// KLEE checks shifts when it loads a program; here the compiler does.
//@ cc: -fsanitize=shift
//@ paths: 2
#include <klee/klee.h>

int main(void) {
  unsigned x;
  klee_make_symbolic(&x, sizeof x, "x");
  unsigned bit = 1u << x; //~ shift-too-far
  return bit == 8;
}
