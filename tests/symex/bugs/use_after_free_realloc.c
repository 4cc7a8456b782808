// A pointer into a vector is kept while the vector grows.
//@ sym: stdin=4
//@ trigger: stdin="+++="
//@ benign: stdin="++=="
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  size_t used = 0, capacity = 2;
  int *items = malloc(capacity * sizeof *items);
  items[0] = 0;
  int *first = items;
  int c, total = 0;
  while ((c = getchar()) != EOF) {
    if (c == '+') {
      if (used == capacity) {
        capacity *= 4;
        items = realloc(items, capacity * sizeof *items);
      }
      items[used] = (int)used;
      used++;
    } else if (c == '=') {
      total += *first; //~ use-after-free
    }
  }
  free(items);
  printf("%d\n", total);
  return 0;
}
