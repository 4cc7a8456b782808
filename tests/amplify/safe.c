// All checks are there: nothing is found, at any distance.
//@ args: 7
//@ finds: nothing
#include <stdio.h>
#include <stdlib.h>

static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

int main(int argc, char **argv) {
  if (argc < 2)
    return 1;
  int month = argv[1][0] - '0';
  if (month < 0 || month >= 12)
    return 1;
  printf("%d\n", days[month]);
  if (month == 0)
    return 2;
  return 100 / month > 12;
}
