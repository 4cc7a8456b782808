#include <stdlib.h>

int main(void) {
  char *p = malloc(100);
  p = realloc(p, 10);
  p[10] = 1; //~ out-of-bounds-write
  return 0;
}
