// The escape of a character lives in the branch that made it.
//@ sym: stdin=2
//@ trigger: stdin="q\x01"
//@ benign: stdin="qx"
#include <stdio.h>

int main(void) {
  int c = getchar();
  if (c != 'q') return 1;
  c = getchar();
  if (c == EOF) return 2;
  char plain[2] = {(char)c, 0};
  const char *text = plain;
  if (c < 32) {
    char escape[3] = {'^', (char)(c + 64), 0};
    text = escape;
  }
  putchar(text[0]); //~ use-after-scope
  return 0;
}
