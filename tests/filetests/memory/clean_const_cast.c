// What was not defined const may be written through a pointer that was.
#include <stdio.h>

static int value = 1;

int main(void) {
  const int *p = &value;
  char text[] = "hello";
  const char *q = text;
  *(int *)p = 2;
  *(char *)q = 'H';
  printf("%d %s\n", value, text);
  return 0;
}
