// The two calls do nothing, as in KLEE without --use-merge: one path for each set of bits, and the error is
// found.
//@ paths: 256
//@ trigger: bits=u8:255
//@ benign: bits=u8:7
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  unsigned char bits;
  klee_make_symbolic(&bits, 1, "bits");
  int count = 0;
  for (int i = 0; i < 8; i++) {
    klee_open_merge();
    if (bits & 1 << i) count++;
    klee_close_merge();
  }
  assert(count != 8); //~ assertion-failure
  return count;
}
