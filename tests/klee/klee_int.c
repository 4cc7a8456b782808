// A number without a variable.
//@ paths: 2
#include <klee/klee.h>

int main(void) {
  if (klee_int("n") > 1000) return 1;
  return 0;
}
