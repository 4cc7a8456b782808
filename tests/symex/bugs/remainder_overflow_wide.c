// The same for a remainder of 64 bits, where the numbers are made from parts.
//@ trigger: high=u32:2147483648 low=u32:0 step=i16:-1
//@ benign: high=u32:2147483648 low=u32:1 step=i16:-1
#include <stdint.h>
#include <umbra.h>

int main(void) {
  uint32_t high, low;
  int16_t step;
  umbra_symbolic(&high, sizeof high, "high");
  umbra_symbolic(&low, sizeof low, "low");
  umbra_symbolic(&step, sizeof step, "step");
  if (step == 0) return 1;
  int64_t position = (int64_t)((uint64_t)high << 32 | low);
  return position % step == 3; //~ division-overflow
}
