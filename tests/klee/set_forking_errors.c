// Checks still look for errors.
//@ paths: 2
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  char table[4] = {0};
  klee_make_symbolic(&x, 1, "x");
  klee_set_forking(0);
  return table[x & 7]; //~ out-of-bounds-read
}
