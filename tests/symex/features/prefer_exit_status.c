// A preferred input is the one that the predicted status and output belong to.
//@ benign: x="q"
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, 1, "x");
  klee_prefer_cex(&x, x >= 'a');
  klee_prefer_cex(&x, x <= 'z');
  printf("<%c>\n", x);
  return x & 31;
}
