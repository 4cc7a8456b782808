// One of the values that the expression has; no path for the others.
//@ paths: 1
//@ complete: no
#include <klee/klee.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_assume((x > 10) & (x < 20));
  int value = klee_get_value_i32(x);
  klee_assert(!klee_is_symbolic(value) || klee_is_replay());
  klee_assert(value == x);
  return 0;
}
