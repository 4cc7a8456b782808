//@ paths: 1
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char any;
  klee_make_symbolic(&any, 1, "any");
  char *text = malloc(8);
  free(text);
  klee_check_memory_access(text, 1); //~ use-after-free
  return 0;
}
