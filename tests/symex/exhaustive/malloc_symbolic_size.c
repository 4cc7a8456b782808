// An allocation of symbolic size, filled to its end.
//@ domain: size=i32:0..40
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  int size = klee_range(0, 40, "size");
  unsigned char *bytes = malloc((size_t)size + 1);
  if (!bytes) return 1;
  memset(bytes, 7, (size_t)size);
  bytes[size] = 9;
  int sum = 0;
  for (int i = 0; i <= size; i++) sum += bytes[i];
  free(bytes);
  printf("%d\n", sum);
  return size > 20 ? 2 : 3;
}
