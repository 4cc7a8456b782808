#include <stdlib.h>

int main(void) {
  char *p = malloc(20);
  char *q = realloc(p, 40);
  free(q);
  p = realloc(p, 10); //~ double-free
  return 0;
}
