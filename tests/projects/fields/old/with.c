/* with NAME=VALUE PROGRAM [ARGUMENT...]: runs a program with that variable and no other. */
#include "common.h"
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  char *environment[] = {argv[1], NULL};
  puts(argv[1]);
  fflush(stdout);
  execve(argv[2], argv + 2, environment);
  return 127;
}
