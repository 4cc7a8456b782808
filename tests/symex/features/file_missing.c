// A name that is an argument: the one file there, or none.
//@ sym: args=1x2
//@ sym: file=A:1
//@ benign: arg="A" file=A:"x"
#include <errno.h>
#include <stdio.h>

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  FILE *file = fopen(argv[1], "r");
  if (!file) return errno == ENOENT ? 2 : 3;
  int c = getc(file);
  printf("%s\n", c == 'x' ? "x" : "other");
  fclose(file);
  return 0;
}
