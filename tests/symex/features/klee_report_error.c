// An error of the harness's own.
//@ trigger: x=u8:77
//@ benign: x=u8:76
#include <klee/klee.h>

static void check(int ok, int line) {
  if (!ok) klee_report_error(__FILE__, line, "a property does not hold", "property"); //~ abort
}

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, 1, "x");
  check(x * 3 != 231, __LINE__);
  return 0;
}
