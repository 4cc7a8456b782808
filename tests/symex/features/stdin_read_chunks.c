// read in pieces; a short one ends it.
//@ sym: stdin=5
//@ trigger: stdin="\x03\x01\x02\x03\x07"
//@ benign: stdin="\x03\x01\x02\x03\x06"
#include <stdlib.h>
#include <unistd.h>

int main(void) {
  unsigned char length, body[4], sum = 0;
  if (read(0, &length, 1) != 1 || length > 4) return 1;
  ssize_t got = read(0, body, length);
  if (got != length) return 2;
  for (int i = 0; i < length; i++) sum += body[i];
  unsigned char claimed;
  if (read(0, &claimed, 1) != 1) return 3;
  if (length == 3 && claimed == sum + 1) abort(); //~ abort
  return read(0, &claimed, 1) == 0 ? 0 : 4;
}
