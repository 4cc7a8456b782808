// The number of arguments is symbolic too: up to three, each possibly empty.
//@ sym: args=3x1
//@ benign: arg="a" arg="" arg="c"
#include <stdio.h>

int main(int argc, char **argv) {
  int empty = 0;
  for (int i = 1; i < argc; i++)
    if (!argv[i][0]) empty++;
  printf("%d of %d\n", empty, argc - 1);
  return argv[argc] == NULL ? argc : 100;
}
