// Names are capitalised in place, also the default one.
//@ sym: args=1x3
//@ trigger: arg="?"
//@ benign: arg="joe"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  char own[4];
  char *name = "unknown";
  if (isalpha((unsigned char)argv[1][0])) {
    strcpy(own, argv[1]);
    name = own;
  } else if (strcmp(argv[1], "?") != 0) {
    return 2;
  }
  if (islower((unsigned char)name[0])) name[0] -= 32; //~ write-to-constant
  puts(name);
  return 0;
}
