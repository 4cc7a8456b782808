// Two inputs of one name are two inputs.
//@ paths: 3
#include <klee/klee.h>

int main(void) {
  unsigned char a, b;
  klee_make_symbolic(&a, 1, "x");
  klee_make_symbolic(&b, 1, "x");
  if (a < b) return 1;
  if (a > b) return 2;
  return 0;
}
