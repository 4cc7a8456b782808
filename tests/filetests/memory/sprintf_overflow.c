#include <stdio.h>

int main(int argc, char **argv) {
  char text[10];
  sprintf(text, "%d", 123456789);
  sprintf(text, "%d", 1234567890); //~ out-of-bounds-write
  return text[0];
}
