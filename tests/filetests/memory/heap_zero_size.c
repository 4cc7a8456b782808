#include <stdlib.h>

int main(void) {
  char *p = malloc(0);
  *p = 1; //~ out-of-bounds-write
  return 0;
}
