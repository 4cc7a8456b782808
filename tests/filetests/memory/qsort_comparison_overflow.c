// The bad access is in a function that libc calls.
#include <stdlib.h>

static int compare(const void *a, const void *b) {
  const int *x = a, *y = b;
  return x[1] - y[1]; //~ out-of-bounds-read
}

int main(void) {
  int values[3] = {3, 1, 2};
  qsort(values, 3, sizeof values[0], compare);
  return values[0];
}
