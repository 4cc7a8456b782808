#include <stdlib.h>

int main(int argc, char **argv) {
  int *p = calloc(argc, sizeof *p);
  return p[argc * 1000000]; //~ out-of-bounds-read
}
