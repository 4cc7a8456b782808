// A jump table with a hole.
//@ trigger: op=u8:163
//@ benign: op=u8:162
#include <klee/klee.h>

static int increment(int x) { return x + 1; }
static int decrement(int x) { return x - 1; }
static int negate(int x) { return -x; }

static int (*const table[])(int) = {increment, decrement, negate, 0, increment};

int main(void) {
  unsigned char op;
  klee_make_symbolic(&op, 1, "op");
  if (op >> 3 != 20) return 1;
  int index = op & 7;
  if (index > 4) return 2;
  return table[index](3); //~ bad-function-pointer
}
