//@ seed: 1
//@ stdin: Rxxdata\n
//@ mechanism: greedy
// A field of a record that is read: its kind, its flags, then what it holds.
#include <stdio.h>

struct record {
  char magic;
  unsigned char kind, flags;
  char data[4];
};

int main(void) {
  struct record record;
  if (fread(&record, 1, sizeof record, stdin) != sizeof record || record.magic != 'R')
    return 1;
  switch (record.kind) {
  case 1:
    return record.flags;
  case 0x42:
    if (record.flags & 0x10 && record.data[0] + record.data[1] == 200)
      puts("reached"); // TARGET
  }
  return 0;
}
