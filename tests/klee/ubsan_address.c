// The part that watches memory is left out of the compiler's work: the engine does it.
//@ cc: -fsanitize=address,undefined
//@ paths: 2
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, 1, "x");
  char *text = malloc(255);
  volatile char c = 0;
  text[x] = c; //~ out-of-bounds-write
  free(text);
  return 0;
}
