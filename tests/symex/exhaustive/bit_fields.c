// Bit-fields, signed and unsigned, across bytes.
//@ domain: raw=2
#include <klee/klee.h>
#include <stdio.h>
#include <string.h>

struct packed {
  unsigned short kind : 3;
  unsigned short middle : 7;
  signed short last : 6;
};

int main(void) {
  struct packed packed;
  unsigned char raw[2];
  klee_make_symbolic(raw, sizeof raw, "raw");
  memcpy(&packed, raw, sizeof raw);
  if (packed.kind == 5) puts("five");
  if (packed.last < -20) return 1;
  if (packed.middle > 100) return 2;
  packed.last++;
  packed.middle = (unsigned short)(packed.middle * 2) & 127;
  return packed.last == packed.middle ? 3 : 4;
}
