// Given arguments come before the symbolic ones.
//@ args: -n 'two words'
//@ sym: args=1x2
//@ benign: arg="ok"
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc < 3 || strcmp(argv[1], "-n") != 0 || strcmp(argv[2], "two words") != 0) return 1;
  if (argc > 3 && strcmp(argv[3], "ok") == 0) puts("ok");
  return argc;
}
