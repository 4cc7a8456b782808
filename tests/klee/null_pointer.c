//@ paths: 2
#include <klee/klee.h>
#include <stddef.h>

int main(void) {
  unsigned char x;
  int value = 3, *pointer = &value;
  klee_make_symbolic(&x, 1, "x");
  if (x == 9) pointer = NULL;
  return *pointer; //~ null-dereference
}
