// A buffer that grows as needed and shrinks at the end.
//@ domain: count=1
#include <stdio.h>
#include <stdlib.h>
#include <umbra.h>

int main(void) {
  unsigned char count;
  umbra_symbolic(&count, 1, "count");
  if (count > 30) return 1;
  size_t capacity = 4, used = 0;
  short *items = malloc(capacity * sizeof *items);
  for (int i = 0; i < count; i++) {
    if (used == capacity) items = realloc(items, (capacity *= 2) * sizeof *items);
    items[used++] = (short)(i * i);
  }
  items = realloc(items, (used + 1) * sizeof *items);
  items[used] = -1;
  long sum = 0;
  for (short *item = items; *item >= 0; item++) sum += *item;
  free(items);
  printf("%zu %ld\n", capacity, sum);
  return 0;
}
