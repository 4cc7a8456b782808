// One name for several inputs: they are different ones.
//@ trigger: byte=u8:3 byte=u8:4 byte=u8:12
//@ benign: byte=u8:3 byte=u8:4 byte=u8:13
#include <klee/klee.h>
#include <stdlib.h>

static unsigned char next(void) {
  unsigned char byte;
  klee_make_symbolic(&byte, 1, "byte");
  return byte;
}

int main(void) {
  unsigned a = next(), b = next(), c = next();
  if (a > 1 && b > 1 && a < b && a * b == c) abort(); //~ abort
  return 0;
}
