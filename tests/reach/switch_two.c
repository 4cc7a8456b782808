//@ seed: aa....................
//@ mechanism: switching
// The variable that decides is copied from another one, which a branch sets.
#include <stdio.h>

static int wanted;
static int mode;

static void parse(const char *s) {
  if (s[1] == 'q')
    wanted = 3;
}

static void apply(void) { mode = wanted; }

int main(int argc, char **argv) {
  if (argc < 2)
    return 1;
  parse(argv[1]);
  apply();
  int dots = 0;
  for (const char *s = argv[1] + 2; *s; s++)
    if (*s == '.')
      dots++;
    else if (*s == '-')
      dots--;
  if (mode == 3)
    puts("reached"); // TARGET
  return dots < 0;
}
