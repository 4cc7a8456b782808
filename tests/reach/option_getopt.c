//@ seed: file
//@ mechanism: options
// A flag that only an option sets.
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int option, verbose = 0;
  while ((option = getopt(argc, argv, "qv")) != -1)
    if (option == 'v')
      verbose = 1;
  if (verbose)
    puts("reached"); // TARGET
  return 0;
}
