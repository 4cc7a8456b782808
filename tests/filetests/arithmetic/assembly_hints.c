// Instructions that portable programs write as assembly and that change nothing, or swap bytes.
#include <stdint.h>
#include <stdio.h>

static uint32_t swapped(uint32_t number) {
  __asm__("bswap %0" : "+r"(number));
  return number;
}

static uint64_t swapped_long(uint64_t number) {
  __asm__("bswapq %0" : "+r"(number));
  return number;
}

int main(int argc, char **argv) {
  (void)argv;
  __asm__ volatile("pause");
  __asm__ volatile("rep; nop" ::: "memory");
  __asm__ volatile("mfence" ::: "memory");
  printf("%x %lx\n", swapped(0x11223300u + argc), swapped_long(0x1122334455667700ul + argc));
  return 0;
}
