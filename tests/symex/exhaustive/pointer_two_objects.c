// Two objects of one size behind a symbolic index.
//@ domain: x=2
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  unsigned char x[2];
  klee_make_symbolic(x, sizeof x, "x");
  char *table[2] = {malloc(4), malloc(4)};
  for (int i = 0; i < 4; i++) {
    table[0][i] = 1;
    table[1][i] = 2;
  }
  if (x[1] > 15) return 3;
  char value = table[x[0] & 1][x[1]]; //~ out-of-bounds-read
  puts(value == 2 ? "two" : "one");
  return 0;
}
