// Test cases shall be printable where they can; the program does not change by it.
//@ trigger: text="ok!"
//@ benign: text="ok?"
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  char text[3];
  klee_make_symbolic(text, sizeof text, "text");
  for (int i = 0; i < 3; i++) klee_prefer_cex(text, (text[i] >= 32) & (text[i] <= 126));
  if (text[0] == 'o' && text[1] == 'k' && text[2] == '!') abort(); //~ abort
  return text[0] < 0 ? 1 : 2;
}
