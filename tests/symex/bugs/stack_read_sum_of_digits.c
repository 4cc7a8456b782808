// A table of the sums of two digits is one short.
//@ trigger: a="9" b="9"
//@ benign: a="9" b="8"
#include <klee/klee.h>

int main(void) {
  char a, b;
  klee_make_symbolic(&a, 1, "a");
  klee_make_symbolic(&b, 1, "b");
  if (a < '0' || a > '9' || b < '0' || b > '9') return 1;
  int names[18];
  for (int i = 0; i < 18; i++) names[i] = i * 3;
  int index = (a - '0') + (b - '0');
  return names[index] > 40; //~ out-of-bounds-read
}
