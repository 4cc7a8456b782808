// With -q and without -o there is no output name; -v prints it all the same.
//@ sym: args=2x2
//@ trigger: arg="-q" arg="-v"
//@ benign: arg="-v"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  const char *name = "out";
  int option, verbose = 0;
  while ((option = getopt(argc, argv, "qvo:")) != -1) {
    switch (option) {
    case 'q': name = NULL; break;
    case 'v': verbose = 1; break;
    case 'o': name = optarg; break;
    default: return 1;
    }
  }
  if (verbose) printf("%d\n", name[0] == 'o'); //~ null-dereference
  return 0;
}
