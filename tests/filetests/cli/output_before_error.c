// What the program wrote comes first, in full.
#include <stdio.h>

int main(void) {
  printf("on standard output\n");
  fflush(stdout);
  fprintf(stderr, "on standard error\n");
  __builtin_trap(); //~ trap
}
