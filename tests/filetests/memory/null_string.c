#include <string.h>

int main(int argc, char **argv) {
  return (int)strlen(argv[1]); //~ null-dereference
}
