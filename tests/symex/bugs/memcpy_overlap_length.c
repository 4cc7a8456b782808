// Bytes are moved to the front by a copy whose length is the old one.
//@ trigger: skip=u8:3 text="..:abcde"
//@ benign: skip=u8:0 text="..:abcde"
#include <string.h>
#include <umbra.h>

int main(void) {
  unsigned char skip;
  char text[8];
  umbra_symbolic(&skip, 1, "skip");
  umbra_symbolic(text, sizeof text, "text");
  if (skip > 4) return 1;
  if (skip && text[skip - 1] != ':') return 2;
  memmove(text, text + skip, sizeof text); //~ out-of-bounds-read
  return text[0] == 'z';
}
