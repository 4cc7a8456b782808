// A table that is read at an index from the input: the test asks for an entry that is there, and no check looks at the
// others. (The first figure of the paper.)
//@ args: 7
//@ finds: out-of-bounds-read distance 0 changed 1
#include <stdio.h>

static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

int main(int argc, char **argv) {
  if (argc < 2)
    return 1;
  int month = argv[1][0] - '0';
  printf("%d\n", days[month]); //~ finding
  return 0;
}
