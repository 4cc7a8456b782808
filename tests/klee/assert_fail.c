// What klee_assert calls with KLEE's own header.
//@ paths: 2
#include <klee/klee.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 42) klee_assert_fail("x != 42", __FILE__, __LINE__, __func__); //~ assertion-failure
  return 0;
}
