// An array that is written: within 4 KiB it is one path too.
//@ paths: 3
#include <klee/klee.h>

int main(void) {
  unsigned char i, table[16] = {0};
  klee_make_symbolic(&i, 1, "i");
  table[3] = 9;
  unsigned char entry = table[i & 31]; //~ out-of-bounds-read
  if (entry == 9) return 1;
  return 0;
}
