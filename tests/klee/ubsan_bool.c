//@ cc: -fsanitize=bool
//@ paths: 2
#include <klee/klee.h>
#include <stdbool.h>

int main(void) {
  bool flag;
  klee_make_symbolic(&flag, 1, "flag");
  volatile int value = flag; //~ undefined-behaviour
  return 0;
}
