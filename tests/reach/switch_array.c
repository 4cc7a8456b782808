//@ seed: aa....................
//@ mechanism: switching
// An element of an array.
#include <stdio.h>

static int enabled[8];

static void parse(const char *s) {
  if (s[0] == '3')
    enabled[3] = 1;
  else if (s[1] == '4')
    enabled[4] = 1;
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 1;
  parse(argv[1]);
  int dots = 0;
  for (const char *s = argv[1] + 2; *s; s++)
    if (*s == '.')
      dots++;
    else if (*s == '-')
      dots--;
  if (enabled[4])
    puts("reached"); // TARGET
  return dots < 0;
}
