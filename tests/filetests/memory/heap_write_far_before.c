// The address lies in the window of the object before; the report is about the right one.
#include <stdlib.h>

int main(int argc, char **argv) {
  char *p = calloc(argc, 16);
  p[argc * -100000] = 1; //~ out-of-bounds-write
  return 0;
}
