//@ cc: -fsanitize=float-cast-overflow
//@ paths: 2
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, 1, "x");
  double value = x == 7 ? 1e20 : 3.0;
  volatile int number = (int)value; //~ undefined-behaviour
  return 0;
}
