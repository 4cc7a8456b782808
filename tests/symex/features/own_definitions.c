// A program of the competition brings its own error function and assertion.
//@ trigger: nondet_int=i32:46341
//@ benign: nondet_int=i32:46340
#include <assert.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

void reach_error(void) { assert(0); } //~ assertion-failure

void __VERIFIER_assert(int condition) {
  if (!condition) {
    reach_error();
    abort();
  }
}

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 46300 || n > 46341) return 0;
  unsigned square = (unsigned)n * (unsigned)n;
  __VERIFIER_assert(square < 2147483648u);
  return 0;
}
