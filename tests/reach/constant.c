//@ seed: a
//@ outcome: unreachable constant-condition
// A variable that nothing sets: no input can change it.
#include <stdio.h>

static int debug;
int *volatile unused;

static void trace(const char *text) {
  if (debug > 2)
    puts(text); // TARGET
}

int main(int argc, char **argv) {
  if (argc > 1 && argv[1][0] == 'd')
    trace("reached");
  return 0;
}
