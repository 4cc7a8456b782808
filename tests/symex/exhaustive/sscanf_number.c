// sscanf of two symbolic bytes.
//@ sym: stdin=2
#include <stdio.h>
#include <unistd.h>

int main(void) {
  char text[3] = "";
  if (read(0, text, 2) != 2) return 9;
  int number = -1;
  char rest = '.';
  int count = sscanf(text, "%d%c", &number, &rest);
  printf("%d %d\n", count, count > 0 ? number : 0);
  return count == 2 && rest == '%';
}
