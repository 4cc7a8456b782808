// Which of several objects is freed, and which is used, depends on the input.
//@ domain: x=2
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char x[2];
  klee_make_symbolic(x, sizeof x, "x");
  unsigned char *table[3];
  for (int i = 0; i < 3; i++) {
    table[i] = malloc(2 + i);
    table[i][0] = (unsigned char)(i + 1);
  }
  free(table[x[0] % 3]);
  if (x[0] >= 128) free(table[x[1] % 3]); //~ double-free
  return table[x[1] & 1][0]; //~ use-after-free
}
