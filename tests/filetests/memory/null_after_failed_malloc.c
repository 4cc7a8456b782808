#include <stdlib.h>

int main(void) {
  char *p = malloc(1ul << 60);
  p[0] = 1; //~ null-dereference
  return 0;
}
