//@ paths: 2
#include <klee/klee.h>

static const char word[] = "word";

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, 1, "x");
  if (x == 4) *(char *)word = 'W'; //~ write-to-constant
  return 0;
}
