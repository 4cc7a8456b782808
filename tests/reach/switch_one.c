//@ seed: a....................
//@ mechanism: switching
// No input decides the last branch: a variable does, which another branch sets.
#include <stdio.h>

static int mode;

static void parse(const char *s) {
  if (s[0] == 'z')
    mode = 2;
  else if (s[0] == 'y')
    mode = 1;
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 1;
  parse(argv[1]);
  int dots = 0;
  for (const char *s = argv[1] + 1; *s; s++)
    if (*s == '.')
      dots++;
    else if (*s == '-')
      dots--;
  if (mode == 2)
    puts("reached"); // TARGET
  return dots < 0;
}
