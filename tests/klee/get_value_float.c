//@ paths: 1
#include <klee/klee.h>

int main(void) {
  unsigned char any;
  klee_make_symbolic(&any, 1, "any");
  return klee_get_valued(2.5) != 2.5 || klee_get_valuef(0.5f) != 0.5f;
}
