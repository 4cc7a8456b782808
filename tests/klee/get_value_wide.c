//@ paths: 1
//@ complete: no
#include <klee/klee.h>

int main(void) {
  long x;
  long long y;
  int64_t z;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&y, sizeof y, "y");
  klee_make_symbolic(&z, sizeof z, "z");
  klee_assert(klee_get_valuel(x) == x);
  klee_assert(klee_get_valuell(y) == y);
  klee_assert(klee_get_value_i64(z) == z);
  return 0;
}
