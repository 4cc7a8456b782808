#include <string.h>

int main(int argc, char **argv) {
  char buffer[4];
  char *from = argc > 1 ? buffer : 0;
  memcpy(buffer, from, 4); //~ null-dereference
  return 0;
}
