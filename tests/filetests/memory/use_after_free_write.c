#include <stdlib.h>

static void destroy(char *p) {
  free(p);
}

int main(void) {
  char *p = malloc(8);
  destroy(p);
  p[3] = 1; //~ use-after-free
  return 0;
}
