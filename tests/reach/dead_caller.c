//@ seed: a
//@ outcome: unreachable no-caller
// Its only caller is dead itself.
#include <stdio.h>

static void inner(void) {
  puts("reached"); // TARGET
}

__attribute__((used)) static void outer(void) { inner(); }

int main(int argc, char **argv) { return argc > 2 && argv[2][0] == 'x'; }
