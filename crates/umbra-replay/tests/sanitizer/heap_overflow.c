#include <stdlib.h>
int main(int argc, char **argv) {
  char *p = malloc(4);
  p[3 + argc] = 1; //~ heap-buffer-overflow
  return p[0];
}
