//@ seed: aa....................
//@ mechanism: switching
// A local variable that another branch sets, through a function that returns it.
#include <stdio.h>

static int kind_of(char c) {
  if (c == '@')
    return 4;
  if (c == '%')
    return 5;
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 1;
  int kind = kind_of(argv[1][1]);
  int dots = 0;
  for (const char *s = argv[1] + 2; *s; s++)
    if (*s == '.')
      dots++;
    else if (*s == '-')
      dots--;
  if (kind == 5)
    puts("reached"); // TARGET
  return dots < 0;
}
