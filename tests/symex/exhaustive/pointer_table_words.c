// A table of arrays of words on stack and heap: a store through one entry, a load through another.
//@ domain: x=1
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, 1, "x");
  unsigned first[4] = {55, 194, 39, 125};
  unsigned second[6] = {237, 198, 252, 176, 177, 119};
  unsigned *third = malloc(5 * sizeof *third);
  for (unsigned i = 0; i < 5; i++) third[i] = i * 22;
  unsigned fourth[2] = {36, 12};
  unsigned *table[] = {first, second, third, fourth};
  const unsigned sizes[] = {4, 6, 5, 2};
  unsigned at = (x >> 3) & 3;
  table[at][x % (sizes[at] + 1)] = x; //~ out-of-bounds-write
  at = x & 3;
  unsigned sum = table[at][x % sizes[at]] + first[1] + second[3] + third[2] + fourth[0];
  free(third);
  return (int)(sum % 90);
}
