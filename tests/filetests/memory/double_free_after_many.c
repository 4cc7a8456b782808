// Enough frees between the two that the object's place is used again.
#include <stdlib.h>

int main(void) {
  char *p = malloc(20);
  free(p);
  for (int i = 0; i < 200000; i++)
    free(malloc(1));
  free(p); //~ double-free
  return 0;
}
