// A directory and a name are joined; the slash between them was not counted.
//@ sym: args=2x3
//@ trigger: arg="usr" arg="bin"
//@ benign: arg="us/" arg="bin"
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc < 3 || strlen(argv[1]) != 3 || strlen(argv[2]) != 3) return 1;
  char *path = malloc(strlen(argv[1]) + strlen(argv[2]) + 1);
  strcpy(path, argv[1]);
  if (path[2] != '/') strcat(path, "/");
  strcat(path, argv[2]); //~ out-of-bounds-write
  int absolute = path[0] == '/';
  free(path);
  return absolute;
}
