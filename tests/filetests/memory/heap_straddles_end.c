// Three of four bytes are inside.
#include <stdlib.h>
#include <string.h>

int main(void) {
  char *p = malloc(7);
  memset(p, 1, 7);
  return *(int *)(p + 4); //~ out-of-bounds-read
}
