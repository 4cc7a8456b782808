// A table of bytes at a symbolic index, and one inside the other.
//@ domain: x=1
#include <klee/klee.h>
#include <stdio.h>

static const unsigned char squares[16] = {0, 1, 4, 9, 0, 9, 4, 1, 0, 1, 4, 9, 0, 9, 4, 1};

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, 1, "x");
  unsigned char once = squares[x & 15];
  unsigned char twice = squares[once];
  if (once == twice) return 1;
  if (once > twice) puts("falls");
  return squares[(x >> 4) ^ once];
}
