//@ flags: --check-uninitialised
#include <unistd.h>

int main(void) {
  char text[8];
  text[0] = 'a';
  write(1, text, 2); //~ uninitialised-read
  return 0;
}
