// umbra_assume leaves inputs out and says nothing, like __VERIFIER_assume.
//@ paths: 1
#include <klee/klee.h>
#include <umbra.h>

void __VERIFIER_assume(int);

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 7) umbra_assume(0);
  if (x == 8) __VERIFIER_assume(x != 8);
  return 0;
}
