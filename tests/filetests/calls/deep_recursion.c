#include <stdio.h>

static int depth(int n) {
  volatile char buffer[64];
  buffer[0] = (char)n;
  return n ? depth(n - 1) + (buffer[0] == (char)n) : 0;
}

static int even(unsigned n);
static int odd(unsigned n) { return n ? even(n - 1) : 0; }
static int even(unsigned n) { return n ? odd(n - 1) : 1; }

int main(void) {
  printf("%d %d\n", depth(10000), even(10001));
  return 0;
}
