// A hash table of a size that the user gives: 256 is 0 in a byte.
//@ sym: args=1x3
//@ trigger: arg="256"
//@ benign: arg="255"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  for (char *p = argv[1]; *p; p++)
    if (!isdigit((unsigned char)*p)) return 2;
  int wanted = atoi(argv[1]);
  if (wanted == 0 || wanted > 300) return 3;
  unsigned char buckets = (unsigned char)wanted;
  unsigned hash = 5381;
  for (char *p = argv[1]; *p; p++) hash = hash * 33 + (unsigned char)*p;
  printf("%u\n", hash % buckets); //~ division-by-zero
  return 0;
}
