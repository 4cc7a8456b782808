#include <stdio.h>

struct bits {
  unsigned a : 3;
  int b : 5;
  unsigned long c : 33;
  _Bool d : 1;
  unsigned : 0;
  signed char e : 7;
};

int main(void) {
  struct bits bits = {7, -16, 0x1ffffffff, 1, -64};
  bits.a += 2;
  bits.b -= 1;
  bits.c += 2;
  bits.d = 4;
  bits.e--;
  printf("%u %d %lu %d %d %zu\n", bits.a, bits.b, (unsigned long)bits.c, bits.d, bits.e,
         sizeof bits);
  return 0;
}
