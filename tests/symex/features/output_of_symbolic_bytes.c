// Symbolic bytes are written out unchanged, to two streams.
//@ sym: stdin=2
//@ benign: stdin="ab"
#include <stdio.h>
#include <unistd.h>

int main(void) {
  char text[2];
  if (read(0, text, 2) != 2) return 1;
  if (write(1, text, 2) != 2) return 2;
  fprintf(stderr, "%c\n", text[0] == text[1] ? '=' : '#');
  return text[0] == 'x' ? 3 : 4;
}
