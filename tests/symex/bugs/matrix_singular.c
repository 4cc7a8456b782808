// Cramer's rule for two equations.
//@ trigger: a=i8:6 b=i8:9 c=i8:4 d=i8:6
//@ benign: a=i8:6 b=i8:9 c=i8:4 d=i8:7
#include <klee/klee.h>

int main(void) {
  signed char a, b, c, d;
  klee_make_symbolic(&a, 1, "a");
  klee_make_symbolic(&b, 1, "b");
  klee_make_symbolic(&c, 1, "c");
  klee_make_symbolic(&d, 1, "d");
  if (a < 2 || b < 2 || c < 2 || d < 2) return 1;
  if (a > 15 || b > 15 || c > 15 || d > 15) return 1;
  if (a == b || a == c || b == c) return 2;
  int determinant = a * d - b * c;
  int x = (5 * d - 7 * b) / determinant; //~ division-by-zero
  return x == 3;
}
