#include <string.h>

int main(void) {
  char text[4] = {'a', 'b', 'c', 'd'};
  return (int)strlen(text); //~ out-of-bounds-read
}
