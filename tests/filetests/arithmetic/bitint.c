//@ cc: -std=c23
#include <stdio.h>

typedef unsigned _BitInt(129) wide;

int main(void) {
  wide a = 1;
  for (int i = 1; i < 30; i++)
    a = a * 31 + i;
  for (int shift = 0; shift < 129; shift += 24)
    printf("%x ", (unsigned)(a >> shift) & 0xffffff);
  wide b = a / 12345, c = a % 12345;
  printf("\n%x %d %d\n", (unsigned)(b >> 60), (int)c, b * 12345 + c == a);
  _BitInt(7) small = 63;
  small += 1;
  printf("%d %d\n", (int)small, small < 0);
  return 0;
}
