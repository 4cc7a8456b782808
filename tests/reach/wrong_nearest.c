//@ seed: x
//@ mechanism: options
// The level is set before the branch is reached; what decides is a word of the program that the test does not have.
#include <stdio.h>
#include <string.h>

static int level;

static void run(const char *name) {
  if (level == 3 && name[0] == 'r')
    puts("reached"); // TARGET
}

int main(int argc, char **argv) {
  for (int at = 1; at < argc; at++) {
    if (strcmp(argv[at], "fast") == 0)
      level = 1;
    if (strcmp(argv[at], "thorough") == 0)
      level = 3;
  }
  run(argc > 1 ? argv[1] : "");
  return 0;
}
