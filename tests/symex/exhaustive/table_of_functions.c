// Function pointers at a symbolic index.
//@ domain: op=1 x=1
#include <stdio.h>
#include <umbra.h>

static int same(int x) { return x; }
static int twice(int x) { return 2 * x; }
static int square(int x) { return x * x; }
static int odd(int x) { return x & 1; }

int main(void) {
  static int (*const functions[])(int) = {same, twice, square, odd};
  unsigned char op;
  signed char x;
  umbra_symbolic(&op, 1, "op");
  umbra_symbolic(&x, 1, "x");
  if (op >= 16) return 1;
  int result = functions[op >> 2](functions[op & 3](x));
  if (result < 0) return 2;
  if (result > 1000) printf("large\n");
  return result % 3 == 0 ? 3 : 4;
}
