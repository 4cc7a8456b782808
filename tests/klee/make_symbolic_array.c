// Each byte of an array is an input: four characters that are digits or not.
//@ paths: 16
#include <klee/klee.h>

int main(void) {
  char text[4];
  int digits = 0;
  klee_make_symbolic(text, sizeof text, "text");
  for (int i = 0; i < 4; i++)
    if ((text[i] >= '0') & (text[i] <= '9')) digits++;
  return digits;
}
