#include <stdlib.h>

int main(int argc, char **argv) {
  char *p = __builtin_alloca((unsigned long)argc << 30); //~ stack-overflow
  p[0] = 1;
  return 0;
}
