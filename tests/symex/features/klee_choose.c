// A choice among few.
//@ trigger: klee_choose=u64:2
//@ benign: klee_choose=u64:1
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  switch (klee_choose(3)) {
  case 0: return 10;
  case 1: return 11;
  case 2: abort(); //~ abort
  }
  return 12;
}
