// What is assumed away cannot fail; what is left can.
//@ trigger: x=i32:1001 y=i32:-1000
//@ benign: x=i32:5 y=i32:6
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  int x, y;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&y, sizeof y, "y");
  klee_assume(x > -2000);
  klee_assume((x < 2000) & (y > -2000) & (y < 2000));
  assert(x + y < 4000);
  assert(x > -2000 && y < 2000);
  if (x > 1000) assert(x + y != 1); //~ assertion-failure
  return 0;
}
