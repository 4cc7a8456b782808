// Everything of umbra.h.
//@ trigger: n=i32:6 k=i32:4 data="ab"
//@ benign: n=i32:7 k=i32:4 data="ab"
#include <umbra.h>

int main(void) {
  int n = umbra_int("n"), k = umbra_range(1, 10, "k");
  char data[2];
  umbra_symbolic(data, sizeof data, "data");
  umbra_assume(n > 5);
  umbra_assert(k >= 1 && k < 10 && n > 5);
  if (umbra_is_symbolic((uintptr_t)k) > 1) return 1;
  if (n == k + 2 && data[0] + 1 == data[1]) umbra_fail("found"); //~ abort
  return 0;
}
