// Without forking a branch has one side; with it both again.
//@ paths: 2
//@ complete: no
#include <klee/klee.h>

int main(void) {
  unsigned char x, y;
  int sum = 0;
  klee_make_symbolic(&x, 1, "x");
  klee_make_symbolic(&y, 1, "y");
  klee_set_forking(0);
  if (x > 100) sum++;
  klee_set_forking(1);
  if (y > 100) sum++;
  return sum;
}
