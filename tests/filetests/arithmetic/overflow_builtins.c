#include <limits.h>
#include <stdio.h>

int main(void) {
  int i;
  long l;
  unsigned u;
  unsigned long ul;
  volatile int max = INT_MAX, min = INT_MIN;
  volatile long lmax = LONG_MAX;
  int r = __builtin_add_overflow(max, 1, &i);
  printf("%d %d\n", r, i);
  r = __builtin_sub_overflow(min, 1, &i);
  printf("%d %d\n", r, i);
  r = __builtin_mul_overflow(lmax, 2l, &l);
  printf("%d %ld\n", r, l);
  r = __builtin_mul_overflow(max, 2u, &u);
  printf("%d %u\n", r, u);
  r = __builtin_add_overflow(lmax, 1ul, &ul);
  printf("%d %lu\n", r, ul);
  r = __builtin_mul_overflow(min, -1, &l);
  printf("%d %ld\n", r, l);
  return 0;
}
