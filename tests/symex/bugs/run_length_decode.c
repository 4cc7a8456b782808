// Runs are decoded into twelve bytes; the last one is not cut.
//@ sym: file=A:6
//@ trigger: file=A:"4a5b4c"
//@ benign: file=A:"4a4b4c"
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  FILE *file = fopen("A", "r");
  if (!file) return 1;
  char *out = malloc(12);
  int used = 0, count, byte;
  while (used < 12 && (count = getc(file)) != EOF && (byte = getc(file)) != EOF) {
    if (count < '1' || count > '5' || byte < 'a') break;
    for (int i = 0; i < count - '0'; i++) out[used++] = (char)byte; //~ out-of-bounds-write
  }
  fclose(file);
  int result = used == 12 && out[11] == 'z';
  free(out);
  return result;
}
