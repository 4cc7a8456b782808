// getline allocates as it needs.
//@ sym: stdin=3
//@ trigger: stdin="no\n"
//@ benign: stdin="yes"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char *line = NULL;
  size_t size = 0;
  ssize_t length = getline(&line, &size, stdin);
  if (length <= 0) return 1;
  if (strcmp(line, "no\n") == 0) abort(); //~ abort
  free(line);
  return 0;
}
