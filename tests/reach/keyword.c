//@ seed:
//@ stdin: a line\n
//@ mechanism: options
// A keyword at the start of a line, longer than what the test has.
#include <stdio.h>
#include <string.h>

int main(void) {
  char line[64];
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    if (strcmp(line, "begin-section") == 0)
      puts("reached"); // TARGET
  }
  return 0;
}
