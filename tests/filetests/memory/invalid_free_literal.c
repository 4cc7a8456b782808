#include <stdlib.h>

int main(int argc, char **argv) {
  char *p = argc > 1 ? malloc(3) : "default";
  free(p); //~ invalid-free
  return 0;
}
