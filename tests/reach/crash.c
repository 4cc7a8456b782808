//@ seed: abcd
//@ mechanism: greedy
//@ error: target
// The target itself is wrong: not the input that runs it first, but one beside it shows an error.
#include <stdio.h>

int main(int argc, char **argv) {
  if (argc < 2)
    return 1;
  int table[4] = {1, 2, 3, 4};
  if (argv[1][0] == '!') {
    puts("reached");
    return table[argv[1][1] & 7]; // TARGET
  }
  return 0;
}
