// Products and quotients of 128 bits.
//@ domain: x=1
#include <stdio.h>
#include <umbra.h>

int main(void) {
  unsigned char x;
  umbra_symbolic(&x, 1, "x");
  unsigned __int128 product = (unsigned __int128)0xfedcba9876543210u * (x + 1u) * (x + 1u);
  __int128 negative = -(__int128)(product >> 3);
  int status = 0;
  if ((unsigned long)(product >> 64) > 0x1000) status |= 1;
  if ((long)(negative >> 64) < -0x80) status |= 2;
  if (product % 1000003u < 400000) status |= 4;
  if (negative / 977 < -((__int128)1 << 64)) status |= 8;
  printf("%d\n", (int)(product & 15) == 0);
  return status;
}
