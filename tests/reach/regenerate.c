//@ seed: m................
//@ mechanism: regeneration
//@ instructions: 15000
// The last condition contradicts what the first branch has made hold: that one has to go the other way. It is far away, and the branches
// between lead nowhere, on more ways than there is time for.
#include <stdio.h>

static volatile int other;

#define FAR if (other) return 1;
#define FARTHER FAR FAR FAR FAR FAR FAR FAR FAR

static int log_char(unsigned char c, const char *rest) {
  int dots = 0;
  for (int at = 0; at < 16; at++) {
    if (rest[at] == '.')
      dots++;
    if (rest[at] == '!')
      dots--;
  }
  if (c > 0x7e)
    return puts("reached"); // TARGET
  return dots;
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 1;
  unsigned char c = argv[1][0];
  int printable = c < 0x7f;
  if (printable)
    return log_char(c, argv[1] + 1) == 99;
  FARTHER FARTHER FARTHER FARTHER FARTHER FARTHER FARTHER FARTHER
  return log_char(c, argv[1] + 1);
}
