// Pointers as differences, comparisons and conditional values.
//@ domain: i=1 j=1
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
  unsigned char i, j;
  klee_make_symbolic(&i, 1, "i");
  klee_make_symbolic(&j, 1, "j");
  short cells[16] = {0};
  if (i > 15 || j > 15) return 1;
  short *a = cells + i, *b = &cells[15 - j];
  *a = 3;
  *b += 4;
  if (a == b) printf("met at %d\n", *a == 7);
  short *lower = a < b ? a : b;
  if (b - a > 8) return 2;
  return *lower == 3 ? 3 : 4;
}
