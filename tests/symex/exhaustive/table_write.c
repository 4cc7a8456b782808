// Writes at symbolic indices, then reads at others.
//@ domain: i=1 j=1
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
  unsigned char i, j;
  klee_make_symbolic(&i, 1, "i");
  klee_make_symbolic(&j, 1, "j");
  int cells[8] = {0, 10, 20, 30, 40, 50, 60, 70};
  cells[i & 7] = 5;
  cells[j & 7] += 3;
  if (cells[i & 7] == 8) puts("met");
  if (cells[(i + j) & 7] % 10 == 0) return 1;
  return cells[3] > 20 ? 2 : 3;
}
