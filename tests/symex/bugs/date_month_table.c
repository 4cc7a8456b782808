// "MMDD": the month is checked for being 12 at most only if the day is an ordinary one.
//@ sym: stdin=4
//@ trigger: stdin="1931"
//@ benign: stdin="1231"
#include <stdio.h>

static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

int main(void) {
  int number = 0;
  for (int i = 0; i < 4; i++) {
    int c = getchar();
    if (c < '0' || c > '9') return 1;
    number = number * 10 + (c - '0');
  }
  int month = number / 100, day = number % 100;
  if (month == 0 || day == 0 || day > 31) return 2;
  if (day < 31 && month > 12) return 3;
  if (day > lengths[month - 1]) return 4; //~ out-of-bounds-read
  printf("%d/%d\n", day, month);
  return 0;
}
