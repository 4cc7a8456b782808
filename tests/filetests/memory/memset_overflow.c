#include <stdlib.h>
#include <string.h>

int main(void) {
  int *p = malloc(10 * sizeof *p);
  memset(p, 0, 11 * sizeof *p); //~ out-of-bounds-write
  return *p;
}
