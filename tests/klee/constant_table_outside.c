//@ paths: 3
#include <klee/klee.h>

static const char table[5000] = {[4999] = 3};

int main(void) {
  unsigned short i;
  klee_make_symbolic(&i, sizeof i, "i");
  char entry = table[i]; //~ out-of-bounds-read
  if (entry == 3) return 1;
  return 0;
}
