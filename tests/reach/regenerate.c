//@ seed: m................
//@ mechanism: regeneration
// The last condition contradicts what an early branch has made hold: that one has to go the other way. The branches between are nearer to
// the target, and lead nowhere: there are 2^16 ways through them.
#include <stdio.h>

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
  if (c < 0x7f)
    return log_char(c, argv[1] + 1) == 99;
  return log_char(c, argv[1] + 1);
}
