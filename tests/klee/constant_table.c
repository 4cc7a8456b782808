// An index into a constant array of any size up to 64 KiB is no reason to fork.
//@ paths: 2
#include <klee/klee.h>

static const unsigned table[8192] = {1, 2, 3, [777] = 5, [8191] = 7};

int main(void) {
  unsigned short i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 8192);
  if (table[i] == 5) return 1;
  return 0;
}
