// A counter of eight bits wraps before the limit is reached.
//@ trigger: step=u8:85 times=u8:4
//@ benign: step=u8:60 times=u8:4
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  unsigned char step, times;
  klee_make_symbolic(&step, 1, "step");
  klee_make_symbolic(&times, 1, "times");
  if (times > 4 || step % 5 != 0) return 1;
  unsigned char total = 0;
  for (int i = 0; i < times; i++) total += step;
  if (total % 7 != 0 && step != 85) return 2;
  assert(total >= step || times == 0 || step < 85); //~ assertion-failure
  return 0;
}
