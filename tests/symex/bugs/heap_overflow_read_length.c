// The answer to an echo request is as long as the request claims to be.
//@ trigger: request="\x01\x07\x61\x62"
//@ benign: request="\x01\x02\x61\x62"
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  unsigned char request[4];
  klee_make_symbolic(request, sizeof request, "request");
  if (request[0] != 1) return 1;
  unsigned claimed = request[1] % 8;
  unsigned char *copy = malloc(2);
  memcpy(copy, request + 2, 2);
  unsigned sum = 0;
  for (unsigned i = 0; i < claimed; i++)
    sum += copy[i]; //~ out-of-bounds-read
  printf("%u\n", sum);
  free(copy);
  return 0;
}
