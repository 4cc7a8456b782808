// scanf on standard input.
//@ sym: stdin=3
//@ trigger: stdin="4 2"
//@ benign: stdin="2 4"
#include <assert.h>
#include <stdio.h>

int main(void) {
  int a, b;
  if (scanf("%1d %1d", &a, &b) != 2) return 1;
  assert(a != 2 * b || b < 2); //~ assertion-failure
  printf("%d\n", a + b);
  return 0;
}
