//@ paths: 1
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char any;
  klee_make_symbolic(&any, 1, "any");
  char text[4];
  char *pointer = text;
  free(pointer); //~ invalid-free
  return 0;
}
