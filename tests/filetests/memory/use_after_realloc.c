#include <stdlib.h>

int main(void) {
  int *old = malloc(4);
  *old = 1;
  int *new = realloc(old, 400);
  return *old + *new; //~ use-after-free
}
