// The kernel writes behind the end.
//@ stdin: more than ten bytes
#include <unistd.h>

int main(void) {
  char buffer[10];
  return (int)read(0, buffer, 20); //~ out-of-bounds-write
}
