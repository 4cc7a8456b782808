// The number of steps to one, cut at twenty.
//@ domain: n=1
#include <stdio.h>
#include <umbra.h>

int main(void) {
  unsigned char start;
  umbra_symbolic(&start, 1, "n");
  if (start == 0 || start > 40) return 50;
  unsigned n = start;
  int steps = 0;
  while (n != 1 && steps < 20) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    steps++;
  }
  printf("%d\n", steps);
  return n == 1;
}
