#include <stdio.h>

static int sign(int n) {
  if (n > 0)
    return 1;
  if (n <= 0)
    return -1;
  __builtin_unreachable();
}

int main(int argc, char **argv) {
  printf("%d %d\n", sign(argc), sign(-argc));
  return 0;
}
