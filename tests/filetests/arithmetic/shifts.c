#include <stdint.h>
#include <stdio.h>

int main(void) {
  volatile int8_t a = -128;
  volatile uint16_t b = 0x8001;
  volatile int32_t c = -5;
  volatile uint64_t d = 0x8000000000000001;
  for (int i = 0; i < 8; i++)
    printf("%d %d %d %llx %llx\n", a >> i, b >> i, c >> i, (unsigned long long)(d >> i * 8),
           (unsigned long long)(d << i));
  printf("%d %u\n", c >> 31, (uint32_t)c >> 31);
  return 0;
}
