// strncpy does not terminate what fills the buffer.
//@ sym: args=1x4
//@ trigger: arg="wxyz"
//@ benign: arg="wxy"
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc < 2 || argv[1][0] != 'w') return 1;
  char *key = malloc(4);
  strncpy(key, argv[1], 4);
  size_t length = strlen(key); //~ out-of-bounds-read
  free(key);
  return (int)length;
}
