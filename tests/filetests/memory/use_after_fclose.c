#include <stdio.h>

int main(void) {
  FILE *file = fopen("f", "w");
  fputs("x", file);
  fclose(file);
  fputs("y", file); //~ use-after-free
  return 0;
}
