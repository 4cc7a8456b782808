// "#N" selects a colour; the number is checked before its last digit is read.
//@ sym: stdin=4
//@ trigger: stdin="#11\n"
//@ benign: stdin="#1\n\n"
#include <stdio.h>

static const char *const colours[] = {"red", "green", "blue", "cyan", "black", "white"};

int main(void) {
  if (getchar() != '#') return 1;
  int index = 0, c;
  while ((c = getchar()) >= '0' && c <= '9') {
    if (index > 5) return 2;
    index = index * 10 + (c - '0');
  }
  if (index >= 12 || c != '\n') return 3;
  puts(colours[index]); //~ out-of-bounds-read
  return 0;
}
