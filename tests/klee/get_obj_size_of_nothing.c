//@ paths: 1
#include <klee/klee.h>

int main(void) {
  unsigned char any;
  klee_make_symbolic(&any, 1, "any");
  return klee_get_obj_size((void *)8); //~ null-dereference
}
