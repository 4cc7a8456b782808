// Comparisons of floats, among them NaN, infinities and both zeros.
//@ domain: high=2
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <umbra.h>

int main(void) {
  uint16_t high;
  umbra_symbolic(&high, sizeof high, "high");
  uint32_t bits = (uint32_t)high << 16;
  float x;
  memcpy(&x, &bits, sizeof x);
  int status = 0;
  if (x != x) status = 1;
  else if (x == 0.0f) status = bits ? 2 : 3;
  else if (x > 3.4e38f || x < -3.4e38f) status = 4;
  else if (x < 1.0f && x > -1.0f) status = 5;
  if (!(x <= 2.5f)) puts("not at most 2.5");
  return status;
}
