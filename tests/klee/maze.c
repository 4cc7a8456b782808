// A walk of three steps in a corridor: the way through is an assertion that fails.
//@ paths: 8
#include <klee/klee.h>

int main(void) {
  char step[3];
  int place = 0;
  klee_make_symbolic(step, sizeof step, "step");
  for (int i = 0; i < 3; i++) {
    if (step[i] == 'r') place++;
    else place--;
  }
  klee_assert(place != 3); //~ assertion-failure
  return 0;
}
