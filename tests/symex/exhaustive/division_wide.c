// A byte scaled to 16, 32 and 64 bits, divided at each width.
//@ domain: x=1
#include <klee/klee.h>
#include <stdint.h>
#include <stdio.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, 1, "x");
  uint16_t u16 = (uint16_t)(x * 257);
  int32_t i32 = (int32_t)(x * 0x01010101u);
  int64_t i64 = (int64_t)(x * 0x0101010101010101u);
  int status = 0;
  if (u16 / 7 > 5000) status |= 1;
  if (i32 / 1000 < -1000) status |= 2;
  if (i64 % 17 == 3) status |= 4;
  if ((uint64_t)i64 / 3 == 0x5555555555555555u) puts("all ones");
  return status;
}
