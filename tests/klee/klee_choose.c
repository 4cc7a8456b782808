//@ paths: 3
#include <klee/klee.h>

int main(void) {
  switch (klee_choose(3)) {
  case 0: return 10;
  case 1: return 11;
  case 2: return 12;
  default: klee_abort();
  }
}
