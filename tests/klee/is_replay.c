//@ paths: 1
//@ replay: no, natively it is a replay
#include <klee/klee.h>

int main(void) {
  unsigned char any;
  klee_make_symbolic(&any, 1, "any");
  klee_assert(!klee_is_replay());
  return 0;
}
