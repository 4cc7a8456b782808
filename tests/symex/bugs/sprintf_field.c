// Six characters are room for any number of 16 bits, but not for the sign and the terminator.
//@ trigger: celsius=i16:-12345
//@ benign: celsius=i16:-1234
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
  short celsius;
  klee_make_symbolic(&celsius, sizeof celsius, "celsius");
  if (celsius < -20000 || celsius % 5 != 0) return 1;
  char text[6];
  sprintf(text, "%d", celsius); //~ out-of-bounds-write
  return text[0] == '9';
}
