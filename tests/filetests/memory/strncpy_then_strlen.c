#include <stdlib.h>
#include <string.h>

int main(void) {
  char *copy = malloc(5);
  strncpy(copy, "hello", 5);
  return (int)strlen(copy); //~ out-of-bounds-read
}
