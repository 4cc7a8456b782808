// A table of pointers to objects of different sizes: which one bounds the index depends on the input.
//@ domain: x=2
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  unsigned char x[2];
  klee_make_symbolic(x, sizeof x, "x");
  unsigned char *table[4];
  for (int at = 0; at < 4; at++) {
    table[at] = malloc(4 + at);
    for (int i = 0; i < 4 + at; i++) table[at][i] = (unsigned char)(10 * at + i);
  }
  if (x[1] >= 8) return 1;
  int value = table[x[0] & 3][x[1]]; //~ out-of-bounds-read
  if (value == 25) puts("the last of the third");
  printf("%d\n", value);
  return 0;
}
