//@ paths: 2
#include <klee/klee.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 1) klee_report_error(__FILE__, __LINE__, "one", "one.err"); //~ reported-error
  return 0;
}
