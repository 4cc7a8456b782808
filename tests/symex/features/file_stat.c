// The size of a symbolic file is fixed, its contents are not.
//@ sym: file=A:5
//@ benign: file=A:"hello"
#include <stdio.h>
#include <sys/stat.h>

int main(void) {
  struct stat status;
  if (stat("A", &status) != 0) return 1;
  if (!S_ISREG(status.st_mode) || status.st_size != 5) return 2;
  FILE *file = fopen("A", "rb");
  if (!file) return 3;
  fseek(file, -1, SEEK_END);
  int last = getc(file);
  printf("%ld bytes, the last is %s\n", (long)status.st_size, last == 'o' ? "o" : "not o");
  fclose(file);
  return stat("B", &status) == 0;
}
