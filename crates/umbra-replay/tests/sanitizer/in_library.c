#include <stdlib.h>
#include <string.h>
static char *volatile p;
static void copy(const char *from) {
  strcpy(p, from); //~ heap-buffer-overflow
}
int main(void) {
  p = malloc(4);
  copy("too long for it");
  return 0;
}
