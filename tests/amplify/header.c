// A file header says how large an entry is, and the program believes it.
//@ file: in AB\x02\x01abcdefgh
//@ args: in
//@ finds: division-by-zero distance 0 changed 1
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  unsigned char header[16];
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (file == NULL || fread(header, 1, 12, file) != 12 || memcmp(header, "AB", 2) != 0)
    return 1;
  printf("%d entries\n", 8 / header[2]); //~ finding
  fclose(file);
  return 0;
}
