// A calculator that has thought of zero.
//@ trigger: op="/" a=i32:-2147483648 b=i32:-1
//@ benign: op="/" a=i32:-2147483647 b=i32:-1
#include <klee/klee.h>

int main(void) {
  char op;
  klee_make_symbolic(&op, 1, "op");
  int a = klee_int("a"), b = klee_int("b");
  switch (op) {
  case '&': return (a & b) == 77;
  case '|': return (a | b) == 77;
  case '/':
    if (b == 0) return 2;
    return a / b == 77; //~ division-overflow
  }
  return 1;
}
