// The functions of ctype.h and strcasecmp.
//@ domain: c=1
#include <ctype.h>
#include <klee/klee.h>
#include <stdio.h>
#include <strings.h>

int main(void) {
  unsigned char c;
  klee_make_symbolic(&c, 1, "c");
  int status = 0;
  if (isalpha(c)) status |= 1;
  if (isdigit(c) || ispunct(c)) status |= 2;
  if (isspace(c)) status |= 4;
  if (isxdigit(c)) status |= 8;
  if (iscntrl(c)) status |= 16;
  char text[2] = {(char)c, 0};
  if (strcasecmp(text, "q") == 0) puts("q");
  if (toupper(c) != c) printf("up to %c\n", toupper(c));
  return status + (tolower(c) != c ? 32 : 0);
}
