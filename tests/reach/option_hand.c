//@ seed: x
//@ mechanism: options
// A hand-written parser: the option is compared as a whole, and its value is looked at by the engine.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  int level = 0;
  for (int at = 1; at < argc; at++)
    if (strcmp(argv[at], "-level") == 0 && at + 1 < argc)
      level = atoi(argv[++at]);
  if (level == 7)
    puts("reached"); // TARGET
  return 0;
}
