#include <stdlib.h>

int main(void) {
  long *p = calloc(4, sizeof *p);
  long sum = 0;
  for (int i = 3; i >= -1; i--)
    sum += p[i]; //~ out-of-bounds-read
  free(p);
  return (int)sum;
}
