#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char global[20 << 20];

int main(void) {
  char *p = malloc(50 << 20);
  memset(p, 1, 50 << 20);
  p[(50 << 20) - 1] = 7;
  global[(20 << 20) - 1] = p[(50 << 20) - 1];
  p = realloc(p, 60 << 20);
  printf("%d %d %d\n", p[49 << 20], p[(50 << 20) - 1], global[(20 << 20) - 1]);
  free(p);
  return 0;
}
