#include <string.h>

static char path[10];

int main(void) {
  strcat(path, "/usr/");
  strcat(path, "local"); //~ out-of-bounds-write
  return path[0];
}
