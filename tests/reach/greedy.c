//@ seed: abcd
//@ mechanism: greedy
// One byte after the other: each step comes one branch nearer.
#include <stdio.h>

int main(int argc, char **argv) {
  const char *s = argc > 1 ? argv[1] : "";
  if (s[0] == 'u' && s[1] == 'm' && s[2] == 'b')
    if (s[3] > 'x')
      puts("reached"); // TARGET
  return 0;
}
