// The kernel reads behind the end.
#include <unistd.h>

int main(void) {
  char text[4] = "abc";
  return (int)write(1, text, 400); //~ out-of-bounds-read
}
