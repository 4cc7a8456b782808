// The average of the values that are not outliers: there may be none.
//@ trigger: v="\x01\xff\xfe"
//@ benign: v="\x01\x50\xfe"
#include <klee/klee.h>

int main(void) {
  unsigned char v[3];
  klee_make_symbolic(v, sizeof v, "v");
  if (v[0] == v[1] || v[1] == v[2] || v[0] == v[2]) return 1;
  int sum = 0, count = 0;
  for (int i = 0; i < 3; i++) {
    if (v[i] < 10 || v[i] > 240) continue;
    sum += v[i];
    count++;
  }
  return sum / count > 100; //~ division-by-zero
}
