// A configuration file read with fopen and fgets.
//@ sym: file=A:6
//@ trigger: file=A:"n=0\nxx"
//@ benign: file=A:"n=4\nxx"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  FILE *file = fopen("A", "r");
  if (!file) return 1;
  char line[8];
  int n = 1;
  while (fgets(line, sizeof line, file))
    if (strncmp(line, "n=", 2) == 0 && line[2] >= '0' && line[2] <= '9') n = line[2] - '0';
  fclose(file);
  printf("%d\n", 12 / n); //~ division-by-zero
  return 0;
}
