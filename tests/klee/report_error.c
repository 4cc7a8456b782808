//@ paths: 2
// In marks of the corpus, what a program reports itself is what it does natively.
#include <klee/klee.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 1) klee_report_error(__FILE__, __LINE__, "one", "one.err"); //~ abort
  return 0;
}
