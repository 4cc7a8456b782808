// The wrong branch is behind two others that the test does not take.
//@ args: abc
//@ finds: out-of-bounds-write distance 2 changed 2
#include <stdio.h>

int main(int argc, char **argv) {
  char name[8] = "";
  int at = 0;
  if (argc < 2)
    return 1;
  const char *word = argv[1];
  int size = 1;
  if (word[0] == 'x')
    size = 8;
  if (word[1] == 'y')
    size += 1;
  name[at + size - 1] = 'n'; //~ finding
  puts(name);
  return 0;
}
