// Clamping by two comparisons lets NaN through.
//@ trigger: x="\x00\x00\xc0\x7f"
//@ benign: x="\x00\x00\x80\x7f"
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  float x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x < 0.0f) x = 0.0f;
  if (x > 1.0f) x = 1.0f;
  assert(x >= 0.0f && x <= 1.0f); //~ assertion-failure
  return 0;
}
