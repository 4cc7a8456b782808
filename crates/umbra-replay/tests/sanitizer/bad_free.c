#include <stdlib.h>
int main(void) {
  char *volatile p = malloc(4);
  free(p + 1); //~ bad-free
  return 0;
}
