// Population count, leading zeros and friends, against loops.
//@ domain: x=2
#include <klee/klee.h>
#include <stdio.h>

static int ones(unsigned x) {
  int n = 0;
  for (; x; x &= x - 1) n++;
  return n;
}

int main(void) {
  unsigned short x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 0) return 1;
  int lowest = __builtin_ctz(x), highest = 31 - __builtin_clz(x);
  if ((x & -x) != 1 << lowest) return 2;
  if (highest == lowest) printf("a power: %d\n", lowest > 7);
  unsigned swapped = __builtin_bswap16(x);
  if (swapped == x) puts("the same from both ends");
  if (highest - lowest < 3) return ones(x) == __builtin_popcount(x) ? 3 : 4;
  return 5;
}
