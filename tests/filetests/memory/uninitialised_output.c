//@ flags: --check-uninitialised
#include <stdio.h>

int main(void) {
  char text[8];
  text[0] = 'a';
  puts(text); //~ uninitialised-read
  return 0;
}
