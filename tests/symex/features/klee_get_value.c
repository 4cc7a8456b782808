// A value is fixed, and the path is bound to it.
//@ benign: x=i32:5 c="a"
#include <assert.h>
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
  int x = klee_int("x");
  unsigned char c;
  klee_make_symbolic(&c, 1, "c");
  klee_assume((x > 3) & (x < 9));
  int fixed = klee_get_value_i32(x);
  assert(fixed > 3 && fixed < 9);
  assert(fixed == x);
  assert(!klee_is_symbolic((uintptr_t)fixed));
  long wide = klee_get_valuel(c + 1L);
  assert(wide == c + 1L);
  return printf("bound\n") != 6;
}
