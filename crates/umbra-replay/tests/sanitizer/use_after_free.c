#include <stdlib.h>
int main(void) {
  char *volatile p = malloc(4);
  free(p);
  return p[0]; //~ heap-use-after-free
}
