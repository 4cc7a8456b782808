// A share from 0 to 1 selects one of ten bins: 1 itself selects an eleventh.
//@ trigger: percent=u8:100
//@ benign: percent=u8:99
#include <umbra.h>

static int bins[10];

int main(void) {
  unsigned char percent;
  umbra_symbolic(&percent, 1, "percent");
  if (percent > 100) return 1;
  double share = percent / 100.0;
  bins[(int)(share * 10)] = 1; //~ out-of-bounds-write
  return bins[0];
}
