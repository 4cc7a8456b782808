// A store through a pointer that may lead to any of several objects; all others keep their bytes.
//@ domain: x=2
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

static unsigned char global[3];

int main(void) {
  unsigned char x[2];
  klee_make_symbolic(x, sizeof x, "x");
  unsigned char local[5] = {0};
  unsigned char *heap = calloc(7, 1);
  unsigned char *table[3] = {global, local, heap};
  const unsigned sizes[3] = {sizeof global, sizeof local, 7};
  unsigned which = x[0] % 3;
  unsigned at = x[1] & 7;
  table[which][at] = x[0] | 1; //~ out-of-bounds-write
  unsigned sum = 0;
  for (unsigned i = 0; i < 3; i++)
    for (unsigned k = 0; k < sizes[i]; k++)
      if (table[i][k]) sum += 10 * i + k;
  return (int)sum;
}
