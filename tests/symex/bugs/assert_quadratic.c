// The equation has a solution within the range, against the author's belief.
//@ trigger: x=i32:11 y=i32:22
//@ benign: x=i32:11 y=i32:21
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  int x = klee_range(0, 64, "x"), y = klee_range(0, 64, "y");
  assert(x * x - 5 * y != 11); //~ assertion-failure
  return 0;
}
