// One object and several addresses behind it, each of which some input leads to.
//@ domain: x=1
#include <klee/klee.h>

static unsigned char table[3] = {252, 184, 52};

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, 1, "x");
  table[((x >> (x & 7)) / 10) % 6] = x & 128 ? 1 : 2; //~ out-of-bounds-write
  return table[0] + table[2];
}
