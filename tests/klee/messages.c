// Words to the analysis have no effect on the program.
//@ paths: 1
#include <klee/klee.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_warning("a warning");
  klee_warning_once("a warning");
  klee_print_expr("x", x);
  klee_print_range("x", x);
  klee_stack_trace();
  klee_mark_global(&x);
  return 0;
}
