// A midpoint computed in 16 bits.
//@ trigger: low=u16:60000 high=u16:60002
//@ benign: low=u16:30000 high=u16:30002
#include <assert.h>
#include <stdint.h>
#include <umbra.h>

int main(void) {
  uint16_t low, high;
  umbra_symbolic(&low, sizeof low, "low");
  umbra_symbolic(&high, sizeof high, "high");
  if (low >= high) return 1;
  uint16_t middle = (uint16_t)(low + high) / 2;
  assert(low <= middle && middle <= high); //~ assertion-failure
  return 0;
}
