// Tag, length, value: the value may claim to be longer than what is left.
//@ trigger: record="\x01\x01\xaa\x02\x04\x00"
//@ benign: record="\x01\x01\xaa\x02\x01\x00"
#include <stdlib.h>
#include <umbra.h>

int main(void) {
  unsigned char *record = malloc(6);
  umbra_symbolic(record, 6, "record");
  unsigned at = 0, sum = 0;
  while (at + 2 <= 6) {
    unsigned char tag = record[at], length = record[at + 1];
    if (tag == 0 || tag > 2 || length == 0 || length > 4) break;
    at += 2;
    if (tag == 1 && at + length > 6) return 1;
    for (unsigned i = 0; i < length; i++) sum += record[at + i]; //~ out-of-bounds-read
    at += length;
  }
  free(record);
  return sum == 5;
}
