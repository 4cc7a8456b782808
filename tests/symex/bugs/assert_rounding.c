// Halves are to be rounded away from zero; for negative numbers they are not.
//@ trigger: n=i16:-15
//@ benign: n=i16:15
#include <assert.h>
#include <klee/klee.h>

static int tenth(int n) { return (n >= 0 ? n + 5 : n - 4) / 10; }

int main(void) {
  short n;
  klee_make_symbolic(&n, sizeof n, "n");
  int size = n < 0 ? -n : n;
  int expected = (size + 5) / 10;
  assert(tenth(n) == (n < 0 ? -expected : expected)); //~ assertion-failure
  return 0;
}
