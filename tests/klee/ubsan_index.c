//@ cc: -fsanitize=bounds
//@ paths: 2
#include <klee/klee.h>

struct { char name[4], other[4]; } record;

int main(void) {
  unsigned char i;
  klee_make_symbolic(&i, 1, "i");
  return record.name[i & 7]; //~ undefined-behaviour
}
