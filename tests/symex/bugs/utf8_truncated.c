// The lead byte says how many bytes follow; the text may end before.
//@ sym: file=A:3
//@ trigger: file=A:"a\xe2\x82"
//@ benign: file=A:"\xe2\x82\xac"
#include <stdio.h>
#include <stdlib.h>

static int length_of(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >> 5 == 6) return 2;
  if (lead >> 4 == 14) return 3;
  return 0;
}

int main(void) {
  FILE *file = fopen("A", "r");
  if (!file) return 1;
  unsigned char *text = malloc(3);
  size_t size = fread(text, 1, 3, file), at = 0;
  fclose(file);
  int bad = 0;
  while (at < size && length_of(text[at])) {
    int length = length_of(text[at]);
    for (int i = 1; i < length; i++)
      if ((text[at + i] & 0xc0) != 0x80) bad++; //~ out-of-bounds-read
    at += (size_t)length;
  }
  free(text);
  return bad;
}
