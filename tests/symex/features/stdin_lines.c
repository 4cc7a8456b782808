// A line reader with fgets; the last line may have no newline.
//@ sym: stdin=4
//@ benign: stdin="a\nbc"
#include <stdio.h>
#include <string.h>

int main(void) {
  char line[4];
  int lines = 0, open = 0;
  while (fgets(line, sizeof line, stdin)) {
    size_t length = strlen(line);
    open = length > 0 && line[length - 1] != '\n';
    if (!open) lines++;
  }
  printf("%d lines%s\n", lines, open ? " and a rest" : "");
  return lines;
}
