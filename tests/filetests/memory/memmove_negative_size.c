#include <string.h>

int main(int argc, char **argv) {
  char buffer[16] = "0123456789";
  memmove(buffer, buffer + 4, (size_t)(argc - 5)); //~ out-of-bounds-read
  return buffer[0];
}
