// Copying what was never written is no use of it.
//@ flags: --check-uninitialised
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct padded {
  char c;
  long l;
};

int main(void) {
  struct padded a, b, *heap = malloc(sizeof *heap);
  a.c = 'x';
  a.l = 5;
  b = a;
  memcpy(heap, &b, sizeof b);
  char partly[16], copy[16];
  partly[3] = 'y';
  memcpy(copy, partly, 16);
  memmove(copy, copy + 3, 8);
  printf("%c %ld %c\n", heap->c, heap->l, copy[0]);
  free(heap);
  return 0;
}
