//@ seed: a
//@ outcome: unreachable no-caller
// Nothing calls the function.
#include <stdio.h>

__attribute__((used)) static void forgotten(void) {
  puts("reached"); // TARGET
}

int main(int argc, char **argv) { return argc > 2 && argv[2][0] == 'x'; }
