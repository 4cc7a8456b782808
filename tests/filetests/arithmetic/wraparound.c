#include <stdint.h>
#include <stdio.h>

int main(void) {
  volatile uint8_t a = 250;
  volatile uint16_t b = 65535;
  volatile uint32_t c = 4294967295u;
  volatile uint64_t d = 18446744073709551615ull;
  a += 10;
  b += 2;
  c *= c;
  d *= d;
  printf("%u %u %u %llu\n", a, b, c, (unsigned long long)d);
  volatile int8_t e = (int8_t)200;
  volatile int16_t f = (int16_t)0x18000;
  printf("%d %d %d\n", e, f, (int)(char)0x1ff);
  return 0;
}
