//@ paths: 1
//@ replay: no, natively nobody knows
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char any;
  klee_make_symbolic(&any, 1, "any");
  char *text = malloc(40), array[7];
  klee_assert(klee_get_obj_size(text) == 40);
  klee_assert(klee_get_obj_size(array) == 7);
  free(text);
  return 0;
}
