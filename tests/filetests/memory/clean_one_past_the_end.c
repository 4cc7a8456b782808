#include <stdlib.h>
#include <string.h>

int main(void) {
  char buffer[8], *end = buffer + 8;
  for (char *p = buffer; p != end; p++)
    *p = 1;
  memcpy(end, buffer, 0);
  memmove(end, end, 0);
  memset(end, 0, 0);
  char *heap = malloc(8);
  memcpy(heap, buffer, 8);
  int result = memcmp(heap + 8, end, 0) + memcmp(heap, buffer, 8);
  free(heap);
  return result + (end - buffer != 8);
}
