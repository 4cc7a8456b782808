//@ seed: 9................
//@ mechanism: regeneration
//@ instructions: 15000
// As regenerate.c, but the last condition is another one than that of the first branch: the solver has to say that they contradict each other.
#include <stdio.h>

static volatile int other;

#define FAR if (other) return 1;
#define FARTHER FAR FAR FAR FAR FAR FAR FAR FAR

static int check(int number, const char *rest) {
  int dots = 0;
  for (int at = 0; at < 16; at++) {
    if (rest[at] == '.')
      dots++;
    if (rest[at] == '!')
      dots--;
  }
  if (number * 3 == 12)
    return puts("reached"); // TARGET
  return dots;
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 1;
  int number = argv[1][0] - '0';
  if (number > 6)
    return check(number, argv[1] + 1) == 99;
  FARTHER FARTHER FARTHER FARTHER FARTHER FARTHER FARTHER FARTHER
  return check(number, argv[1] + 1);
}
