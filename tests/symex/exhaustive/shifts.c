// Shifts of all widths by amounts that depend on the input.
//@ domain: x=1 by=1
#include <klee/klee.h>
#include <stdint.h>
#include <stdio.h>

int main(void) {
  unsigned char x, by;
  klee_make_symbolic(&x, 1, "x");
  klee_make_symbolic(&by, 1, "by");
  int8_t narrow = (int8_t)x;
  int arithmetic = narrow >> (by & 7);
  uint32_t logical = (uint32_t)narrow >> (by & 31);
  uint64_t left = (uint64_t)x << (by & 63);
  if (arithmetic == -1 && logical != 0xffffffffu) return 1;
  if (left >> 60) return logical & 1 ? 2 : 3;
  if (logical > 0xff) return 4;
  printf("%d\n", arithmetic > 10);
  return 5;
}
