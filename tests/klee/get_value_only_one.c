// Where the expression has one value, nothing is left out.
//@ paths: 1
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, 1, "x");
  klee_assume(x * 2 == 14);
  return klee_get_value_i32(x) != 7;
}
