#include <stdio.h>

int main(void) {
  volatile unsigned a = 0x00f01234;
  volatile unsigned long b = 0x0000f00000000100;
  volatile unsigned short c = 0x1234;
  printf("%d %d %d\n", __builtin_popcount(a), __builtin_clz(a), __builtin_ctz(a));
  printf("%d %d %d\n", __builtin_popcountl(b), __builtin_clzl(b), __builtin_ctzl(b));
  printf("%x %x %lx\n", __builtin_bswap16(c), __builtin_bswap32(a), __builtin_bswap64(b));
  printf("%x %lx\n", __builtin_bitreverse32(a), __builtin_bitreverse64(b));
  printf("%x %lx\n", __builtin_rotateleft32(a, 7), __builtin_rotateright64(b, 12));
  printf("%d %d\n", __builtin_ffs((int)a), __builtin_parityl(b));
  return 0;
}
