// Paths that are of no interest leave no test case.
//@ trigger: x=u8:201
//@ benign: x=u8:100
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, 1, "x");
  if (x % 2 == 0) klee_silent_exit(0);
  if (x > 200) abort(); //~ abort
  return 1;
}
