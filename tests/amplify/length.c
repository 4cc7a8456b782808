// A length in the file is trusted by memcpy. The library copies on numbers, so the length has one value there: what other values
// would do must be asked before.
//@ file: in \x04abcdefghijklmnop
//@ args: in
//@ finds: out-of-bounds-write distance 0 changed 1
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  unsigned char in[300] = {0};
  char name[16];
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (file == NULL || fread(in, 1, 17, file) != 17)
    return 1;
  memcpy(name, in + 1, in[0]); //~ finding
  printf("%.4s\n", name);
  fclose(file);
  return 0;
}
