#include <stdlib.h>

int main(void) {
  char *p = calloc(1, 20);
  free(p);
  for (int i = 0; i < 200000; i++)
    free(malloc(20));
  return *p; //~ use-after-free
}
