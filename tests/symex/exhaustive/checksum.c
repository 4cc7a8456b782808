// A table-driven CRC over two bytes, of which some bits decide.
//@ domain: data=2
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
  unsigned char data[2];
  klee_make_symbolic(data, sizeof data, "data");
  unsigned char crc = 0;
  for (int i = 0; i < 2; i++) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; bit++)
      crc = (unsigned char)(crc & 0x80 ? crc << 1 ^ 0x07 : crc << 1);
  }
  if (crc == 0) puts("valid");
  return crc >> 6;
}
