//@ paths: 2
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char x;
  char *text = malloc(3);
  klee_make_symbolic(&x, 1, "x");
  free(text);
  if (x == 200) free(text); //~ double-free
  return 0;
}
