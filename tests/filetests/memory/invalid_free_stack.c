#include <stdlib.h>

int main(void) {
  char buffer[20];
  char *p = buffer;
  free(p); //~ invalid-free
  return 0;
}
