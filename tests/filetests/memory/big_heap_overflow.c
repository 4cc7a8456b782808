#include <stdlib.h>

int main(void) {
  char *p = malloc(50 << 20);
  p[(50 << 20) + 12345] = 1; //~ out-of-bounds-write
  return 0;
}
