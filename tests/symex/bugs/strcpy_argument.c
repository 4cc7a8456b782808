// Arguments that start with '@' are copied into a buffer for eight.
//@ sym: args=1x9
//@ trigger: arg="@abcdefgh"
//@ benign: arg="@abcdef"
#include <string.h>

int main(int argc, char **argv) {
  char name[8];
  if (argc < 2 || argv[1][0] != '@') return 1;
  strcpy(name, argv[1]); //~ out-of-bounds-write
  return name[1] == 'x';
}
