//@ seed: aa....................
//@ mechanism: switching
// A field of a structure.
#include <stdio.h>

static struct {
  int first;
  int strict;
} settings;

static void parse(const char *s) {
  if (s[1] == '#')
    settings.strict = 1;
  if (s[0] == 'f')
    settings.first = 1;
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
  if (settings.strict)
    puts("reached"); // TARGET
  return dots < 0;
}
