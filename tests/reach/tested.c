//@ seed: x
//@ outcome: tested
// The test itself runs the line.
#include <stdio.h>

int main(int argc, char **argv) {
  if (argc > 1 && argv[1][0] == 'x')
    puts("reached"); // TARGET
  return 0;
}
