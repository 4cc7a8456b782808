// More bytes than the object has.
//@ paths: 1
#include <klee/klee.h>

int main(void) {
  char x;
  klee_make_symbolic(&x, 2, "x"); //~ out-of-bounds-write
  return x;
}
