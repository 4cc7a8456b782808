//@ seed: ab
//@ outcome: exhausted all-paths
// A condition that no input meets, but that is not constant: all paths are followed.
#include <stdio.h>

int main(int argc, char **argv) {
  if (argc < 2)
    return 1;
  unsigned char first = argv[1][0], second = argv[1][1];
  if (first < 10 && second > 20)
    if (first > second)
      puts("reached"); // TARGET
  return 0;
}
