// Pointers into the middle, to the end and beyond: comparisons and differences inside one object.
//@ domain: x=2
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
  unsigned char x[2];
  klee_make_symbolic(x, sizeof x, "x");
  short numbers[6] = {5, 7, 11, 13, 17, 19};
  const short *end = numbers + 6;
  const short *at = numbers + x[0] % 7;
  long left = end - at;
  if (at < numbers + 2) left += 100;
  int sum = 0;
  for (const short *p = at; p != end; p++) sum += *p;
  const short *back = end - 1 - (x[1] & 3);
  if (x[1] > 200) back = at;
  printf("%ld %d\n", left, sum);
  return *back; //~ out-of-bounds-read
}
