//@ args: --sym-stdin 3
//@ paths: 2
#include <unistd.h>

int main(void) {
  char text[3];
  if (read(0, text, 3) != 3) return 9;
  if (text[2] == '!') return 1;
  return 0;
}
