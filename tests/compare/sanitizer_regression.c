// class: regression
// differs: sanitizer, end
// flags: -fsanitize=address,undefined
#include <stdlib.h>
int main(int argc, char **argv) {
  char *bytes = calloc(4, 1);
#ifdef NEW
  bytes[3 + argc] = 1;
#endif
  free(bytes);
  return 0;
}
