// class: same
// flags: -fsanitize=address,undefined
// One error in one function; its line is another.
#include <stdlib.h>
#ifdef NEW
#define MORE


#endif
int main(int argc, char **argv) {
  char *bytes = calloc(4, 1);
#ifdef NEW
  bytes[0] = 0;
#endif
  bytes[3 + argc] = 1;
  return 0;
}
