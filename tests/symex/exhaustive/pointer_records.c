// An array of records with pointers to texts and data of their own sizes.
//@ domain: x=2
#include <klee/klee.h>
#include <stdio.h>
#include <string.h>

struct record {
  const char *name;
  unsigned count;
  const unsigned char *data;
};

static const unsigned char one[] = {1}, three[] = {2, 3, 4}, five[] = {5, 6, 7, 8, 9};
static const struct record records[] = {{"a", 1, one}, {"bcd", 3, three}, {"efghi", 5, five}, {"none", 0, NULL}};

int main(void) {
  unsigned char x[2];
  klee_make_symbolic(x, sizeof x, "x");
  const struct record *record = &records[x[0] & 3];
  unsigned at = x[1] & 7;
  if (at > record->count) return 50;
  if (record->name[at] == 0) puts("end of name");
  int value = record->data[at]; //~ out-of-bounds-read
  //~^ null-dereference
  return value + (int)strlen(record->name);
}
