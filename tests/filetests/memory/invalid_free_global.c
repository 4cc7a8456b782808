#include <stdlib.h>

static char buffer[20];

int main(void) {
  free(buffer); //~ invalid-free
  return 0;
}
