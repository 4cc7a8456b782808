#include <stdlib.h>

struct large {
  long values[6];
};

static long first(struct large large) {
  return large.values[0];
}

int main(void) {
  struct large *p = calloc(1, 8);
  return (int)first(*p); //~ out-of-bounds-read
}
