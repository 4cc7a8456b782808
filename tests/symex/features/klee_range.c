// A range includes its begin and excludes its end.
//@ trigger: x=i32:-3
//@ benign: x=i32:4
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  int x = klee_range(-3, 5, "x");
  assert(x < 5);
  assert(x >= -3);
  klee_assert(x != -3); //~ assertion-failure
  return x + 3;
}
