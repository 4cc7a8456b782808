// A pointer to a pointer: a store through both changes one of two numbers, or none.
//@ domain: x=2
#include <klee/klee.h>

int main(void) {
  unsigned char x[2];
  klee_make_symbolic(x, sizeof x, "x");
  int first = 1, second = 2, third = 4;
  int *p = x[0] & 1 ? &first : &second;
  int *q = x[0] & 2 ? &third : p;
  int **pp = x[0] > 100 ? &p : &q;
  **pp = x[1] & 7;
  if (x[1] & 8) *pp = &first;
  *p += 8;
  if (*q == 3) return 100;
  return first + 2 * second + 3 * third;
}
