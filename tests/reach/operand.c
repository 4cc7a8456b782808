//@ seed: a
//@ mechanism: options
// One operand more than the test has.
#include <stdio.h>

int main(int argc, char **argv) {
  if (argc > 2 && argv[2][0] == argv[1][0])
    puts("reached"); // TARGET
  return 0;
}
