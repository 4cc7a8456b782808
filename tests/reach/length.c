//@ seed:
//@ stdin: ab\n
//@ mechanism: options
// A longer line than the test has.
#include <stdio.h>

int main(void) {
  int c, length = 0;
  while ((c = getchar()) != EOF && c != '\n')
    length++;
  if (length == 5)
    puts("reached"); // TARGET
  return 0;
}
