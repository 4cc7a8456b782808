// getopt on an argument of up to two bytes.
//@ sym: args=1x2
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int option, flags = 0;
  opterr = 0;
  while ((option = getopt(argc, argv, "ab:c")) != -1) {
    switch (option) {
    case 'a': flags |= 1; break;
    case 'b': flags |= 2; break;
    case 'c': flags |= 4; break;
    default: flags |= 8;
    }
  }
  printf("%d %d\n", flags, argc - optind);
  return flags;
}
