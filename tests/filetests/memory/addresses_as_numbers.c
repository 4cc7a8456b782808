// Programs keep differences of addresses in an int, compare, hash and tag addresses.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int global;

/* Old code for growing a buffer: pointers into it are moved by an int. */
static int moved_by_int(size_t from, size_t to) {
  char *old = malloc(from), *end = old + from - 1;
  char *new = realloc(old, to);
  int step = new - old;
  end += step;
  int right = end - new == (ptrdiff_t)from - 1;
  free(new);
  return right;
}

/* The stack grows downwards. */
static int below(char *above) {
  char here;
  return (uintptr_t)&here < (uintptr_t)above;
}

static int nested(char *above, int depth) {
  char here;
  return below(above) && (depth == 0 || nested(&here, depth - 1));
}

int main(void) {
  char here, *small[100];
  printf("%d %d %d\n", moved_by_int(3, 100), moved_by_int(3, 4000000), moved_by_int(70000, 9));
  int near = 1, ordered = 1;
  for (int i = 0; i < 100; i++) {
    small[i] = malloc(10);
    unsigned apart = i > 0 ? small[i] - small[i - 1] : 0;
    near &= (int)apart < 1000 && (int)apart > -1000;
  }
  for (int i = 0; i < 50; i++)
    ordered &= nested(&here, i % 7);
  printf("near %d, stack %d\n", near, ordered);
  uintptr_t tagged = (uintptr_t)small[7] | (uintptr_t)0xbeef << 48 | 3;
  printf("tags %d\n", (char *)(tagged & 0xfffffffffffcULL) == small[7]);
  unsigned half = (unsigned)(uintptr_t)&global;
  printf("half %d\n", (int *)(uintptr_t)half == &global);
  unsigned used = 0;
  for (int i = 0; i < 100; i++)
    used |= 1u << ((uintptr_t)small[i] >> 4) % 32;
  printf("spread %d\n", __builtin_popcount(used) > 3);
  return 0;
}
