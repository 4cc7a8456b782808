// strtol in two bases and atoi, on arguments of up to two bytes.
//@ sym: args=1x2
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  char *end;
  long value = strtol(argv[1], &end, 0);
  if (end == argv[1]) return 2;
  if (*end) return 3;
  printf("%d\n", atoi(argv[1]) == value);
  if (value < 0) return 4;
  if (strtoul(argv[1], NULL, 16) > 0x50) return 5;
  return value % 10 == 7 ? 6 : 7;
}
