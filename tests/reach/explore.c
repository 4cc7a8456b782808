//@ seed: aaaa
//@ mechanism: exploration
// What decides is returned by a function from branches that lead to no target themselves.
#include <stdio.h>

static int weight(char c) {
  switch (c) {
  case 'p':
    return 5;
  case 'q':
    return 7;
  default:
    return 0;
  }
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 1;
  int sum = 0;
  for (int at = 0; at < 3; at++)
    sum += weight(argv[1][at]);
  if (sum == 17)
    puts("reached"); // TARGET
  return 0;
}
