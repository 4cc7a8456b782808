// strcmp, strncmp and memcmp of a symbolic text with a constant one.
//@ domain: text=2
#include <klee/klee.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  char text[3];
  klee_make_symbolic(text, 2, "text");
  text[2] = 0;
  int status = 0;
  if (strcmp(text, "ok") == 0) status |= 1;
  if (strcmp(text, "m") < 0) status |= 2;
  if (strncmp(text, "zebra", 1) == 0) status |= 4;
  if (memcmp(text, "\xff", 2) > 0) status |= 8;
  if (strlen(text) < 2) status |= 16;
  printf("%d\n", status);
  return status;
}
