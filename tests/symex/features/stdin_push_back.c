// getc, ungetc and the end of the input.
//@ sym: stdin=3
//@ benign: stdin="12x"
#include <ctype.h>
#include <stdio.h>

static int number(void) {
  int c, value = 0;
  while (isdigit(c = getchar())) value = value * 10 + (c - '0');
  ungetc(c, stdin);
  return value;
}

int main(void) {
  int value = number();
  int next = getchar();
  printf("%d then %s\n", value, next == EOF ? "the end" : "more");
  return next == EOF ? 1 : feof(stdin) ? 2 : 3;
}
