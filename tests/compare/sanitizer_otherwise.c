// class: output-difference
// differs: sanitizer
// flags: -fsanitize=address,undefined
// Both do something wrong, but not the same.
#include <stdlib.h>
int main(int argc, char **argv) {
  char *bytes = calloc(4, 1);
#ifdef OLD
  bytes[3 + argc] = 1;
#else
  free(bytes);
  bytes[argc] = 1;
#endif
  return 0;
}
