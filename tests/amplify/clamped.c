// A large index is clamped, and a negative one is not: the test's own access has an index that is a number. It is sensitive
// since the address is computed, and one branch before it the index was symbolic.
//@ args: z
//@ finds: out-of-bounds-read distance 1 changed 1
#include <stdio.h>

int main(int argc, char **argv) {
  static int values[100];
  if (argc < 2)
    return 1;
  int x = argv[1][0] - 'a';
  if (x > 9)
    x = 99;
  printf("%d\n", values[x]); //~ finding
  return 0;
}
