#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct message {
  unsigned length;
  char text[];
};

int main(void) {
  const char *text = "flexible";
  struct message *m = malloc(sizeof *m + strlen(text) + 1);
  m->length = (unsigned)strlen(text);
  memcpy(m->text, text, m->length + 1);
  printf("%zu %u %s\n", sizeof *m, m->length, m->text);
  free(m);
  return 0;
}
