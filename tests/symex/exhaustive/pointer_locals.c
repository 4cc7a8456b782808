// Pointers to variables whose scope or function has ended, for some inputs.
//@ domain: x=2
#include <klee/klee.h>
#include <stddef.h>

static int *escaped;

static int call(int value, int escapes) {
  int local = value + 1;
  if (escapes) escaped = &local;
  return local;
}

int main(void) {
  unsigned char x[2];
  klee_make_symbolic(x, sizeof x, "x");
  int outer = 5;
  int *p = &outer;
  escaped = &outer;
  {
    int inner = x[0] & 15;
    if (x[0] > 250) p = &inner;
    outer += *p;
  }
  int value = call(x[1] & 7, x[1] == 200);
  if (x[1] == 201) escaped = NULL;
  value += *p; //~ use-after-scope
  value += *escaped; //~ use-after-return
  //~^ null-dereference
  return value & 63;
}
