#include <stdlib.h>
#include <string.h>

int main(void) {
  char buffer[64];
  char *small = calloc(1, 16);
  memcpy(buffer, small, sizeof buffer); //~ out-of-bounds-read
  return buffer[0];
}
