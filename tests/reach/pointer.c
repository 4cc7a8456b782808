//@ seed: a.
//@ mechanism: greedy
// A target behind a function pointer that no test has called: the engine picks the entry of the table.
#include <stdio.h>

static int add(int value) { return value + 1; }
static int drop(int value) { return value - 1; }

static int negate(int value) {
  if (value > 'm')
    puts("reached"); // TARGET
  return -value;
}

static int (*const operations[])(int) = {add, drop, negate};

int main(int argc, char **argv) {
  if (argc < 2)
    return 1;
  unsigned which = (unsigned char)argv[1][0] - 'a';
  if (which >= 3)
    return 1;
  return operations[which](argv[1][1]) == 0;
}
