// One memory, several types.
//@ domain: bytes=2
#include <stdint.h>
#include <stdio.h>
#include <umbra.h>

union word {
  uint16_t whole;
  struct { uint8_t low, high; } half;
  int8_t bytes[2];
};

int main(void) {
  union word word;
  umbra_symbolic(word.bytes, sizeof word.bytes, "bytes");
  if (word.half.high == word.half.low) puts("twice the same");
  word.half.low ^= word.half.high;
  if (word.whole > 0xff00) return 1;
  return word.bytes[0] < 0 ? 2 : word.bytes[1] < 0 ? 3 : 4;
}
