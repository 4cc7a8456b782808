#include <stdlib.h>

int main(int argc, char **argv) {
  argv[0] = realloc(argv[0], 100); //~ invalid-free
  return 0;
}
