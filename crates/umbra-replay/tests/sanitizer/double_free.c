#include <stdlib.h>
int main(void) {
  char *volatile p = malloc(4);
  free(p);
  free(p); //~ double-free
  return 0;
}
