// A range excludes its end: four values, one by one.
//@ paths: 4
#include <klee/klee.h>

int main(void) {
  switch (klee_range(-2, 2, "n")) {
  case -2: return 1;
  case -1: return 2;
  case 0: return 3;
  case 1: return 4;
  default: return 5;
  }
}
