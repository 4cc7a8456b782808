//@ flags: --max-memory 16
//@ native: different it has more memory
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  int count = 0;
  while (malloc(1 << 20))
    count++;
  printf("%d\n", count < 17);
  return 0;
}
