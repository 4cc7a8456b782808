#include <stdlib.h>

static void fill(char *p, int n) {
  for (int i = 0; i <= n; i++)
    p[i] = 'x'; //~ out-of-bounds-write
}

int main(void) {
  char *p = malloc(10);
  fill(p, 10);
  free(p);
  return 0;
}
