// A word of a configuration line is read without a width.
//@ sym: stdin=7
//@ trigger: stdin="n=abcd\n"
//@ benign: stdin="n=ab c\n"
#include <stdio.h>

int main(void) {
  char line[8], word[4];
  if (!fgets(line, sizeof line, stdin)) return 1;
  if (sscanf(line, "n=%s", word) != 1) return 2; //~ out-of-bounds-write
  return word[0] == 'z';
}
