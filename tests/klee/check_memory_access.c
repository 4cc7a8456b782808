// A claim about bytes that nobody touches.
//@ paths: 2
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int x;
  char *text = malloc(8);
  klee_make_symbolic(&x, sizeof x, "x");
  klee_check_memory_access(text, 8);
  if (x == 1) klee_check_memory_access(text, 9); //~ out-of-bounds-read
  free(text);
  return 0;
}
