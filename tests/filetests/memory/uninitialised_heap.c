//@ flags: --check-uninitialised
#include <stdlib.h>

int main(void) {
  char *p = malloc(4);
  p[0] = 1;
  if (p[1]) //~ uninitialised-read
    return 1;
  return 0;
}
