// Addresses of labels: three targets.
//@ paths: 3
#include <klee/klee.h>

int main(void) {
  static void *const targets[] = {&&add, &&subtract, &&stop};
  unsigned char which;
  klee_make_symbolic(&which, 1, "which");
  klee_assume(which < 3);
  goto *targets[which];
add: return 1;
subtract: return 2;
stop: return 3;
}
