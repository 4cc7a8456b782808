// printf of symbolic numbers.
//@ domain: n=1
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
  signed char n;
  klee_make_symbolic(&n, 1, "n");
  int length = printf("%d|%4d|%-4d|%+d|%x|%03o\n", n, n, n, n, (unsigned char)n, (unsigned char)n);
  return length;
}
