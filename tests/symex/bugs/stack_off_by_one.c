// A field of exactly the buffer's size leaves no room for the terminator.
//@ sym: stdin=6
//@ trigger: stdin="abcd;x"
//@ benign: stdin="abc;de"
#include <stdio.h>
#include <string.h>

int main(void) {
  char field[4];
  int c, n = 0;
  while ((c = getchar()) != EOF && c != ';') {
    if (c < 'a' || c > 'z') return 1;
    if (n < 4) field[n] = (char)c;
    n++;
  }
  if (c == EOF || n > 4) return 2;
  field[n] = 0; //~ out-of-bounds-write
  return strcmp(field, "abc") == 0;
}
