#include <stdlib.h>

struct large {
  int values[10];
};

int main(void) {
  struct large large = {{1}};
  struct large *p = malloc(sizeof(struct large) - 4);
  *p = large; //~ out-of-bounds-write
  return 0;
}
