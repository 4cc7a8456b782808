// What is written can be read again, symbolic as it was.
//@ sym: file=A:3
//@ trigger: file=A:"cba"
//@ benign: file=A:"abc"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char text[4] = "", back[4] = "";
  FILE *file = fopen("A", "r");
  if (!file || fread(text, 1, 3, file) != 3) return 1;
  fclose(file);
  file = fopen("B", "w+");
  if (!file) return 2;
  for (int i = 2; i >= 0; i--) fputc(text[i], file);
  rewind(file);
  if (fread(back, 1, 3, file) != 3) return 3;
  fclose(file);
  if (memcmp(back, "abc", 3) == 0) abort(); //~ abort
  return 0;
}
