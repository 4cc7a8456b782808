//@ flags: --check-uninitialised
#include <stdlib.h>

int main(void) {
  int *p = calloc(2, sizeof *p);
  p = realloc(p, 4 * sizeof *p);
  int sum = p[0] + p[1];
  return sum + p[2]; //~ uninitialised-read
}
