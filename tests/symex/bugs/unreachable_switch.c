// The tag has two bits, but one of the four values was thought impossible.
//@ trigger: word=u16:49152
//@ benign: word=u16:16387
#include <umbra.h>

static int decode(unsigned short word) {
  switch (word >> 14) {
  case 0: return word & 1;
  case 1: return word & 2;
  case 2: return word & 4;
  }
  __builtin_unreachable(); //~ unreachable
}

int main(void) {
  unsigned short word;
  umbra_symbolic(&word, sizeof word, "word");
  if (__builtin_popcount(word) > 3) return 1;
  return decode(word);
}
