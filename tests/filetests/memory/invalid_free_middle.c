#include <stdlib.h>
#include <string.h>

int main(void) {
  char *p = strdup("  text");
  while (*p == ' ')
    p++;
  free(p); //~ invalid-free
  return 0;
}
