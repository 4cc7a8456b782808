// Functions on characters and comparisons of strings do not make a path of every character.
//@ paths: 3
//@ benign: text=000000000000000000000000
#include <ctype.h>
#include <klee/klee.h>
#include <stdio.h>
#include <strings.h>
#include <string.h>

int main(void) {
  char text[12], upper[12];
  klee_make_symbolic(text, sizeof text, "text");
  text[11] = 0;
  int spaces = 0;
  for (int i = 0; i < 12; i++) {
    upper[i] = toupper((unsigned char)text[i]);
    spaces += isspace((unsigned char)text[i]);
  }
  if (!strcmp(upper, "HELLO WORLD")) return 1;
  if (!strcasecmp(text, "goodbye all")) return 2;
  printf("%d\n", spaces > 12);
  return 0;
}
