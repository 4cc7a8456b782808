// Ackermann-like recursion whose second argument is not always smaller.
//@ trigger: a=u8:3 b=u8:7
//@ benign: a=u8:3 b=u8:6
#include <klee/klee.h>

static int walk(int a, int b) {
  if (b == 0) return a;
  if (a == 3 && b == 7) return walk(a, b) + 1; //~ stack-overflow
  return walk(a, b - 1) + 1;
}

int main(void) {
  unsigned char a, b;
  klee_make_symbolic(&a, 1, "a");
  klee_make_symbolic(&b, 1, "b");
  if (a > 5 || b > 8) return 1;
  return walk(a, b) & 1;
}
