#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  free(NULL);
  char *p = realloc(NULL, 10);
  strcpy(p, "123456789");
  p = realloc(p, 1000);
  printf("%s\n", p);
  p = realloc(p, 5);
  printf("%.5s\n", p);
  free(p);
  int *zeros = calloc(100, sizeof *zeros), sum = 0;
  for (int i = 0; i < 100; i++)
    sum += zeros[i];
  printf("%d\n", sum);
  free(zeros);
  free(malloc(0));
  void *aligned = aligned_alloc(256, 512), *posix;
  printf("%d\n", (int)((unsigned long)aligned % 256));
  printf("%d %d\n", posix_memalign(&posix, 4096, 10), (int)((unsigned long)posix % 4096));
  free(aligned);
  free(posix);
  printf("%d %d\n", malloc(1ul << 62) == 0, calloc(1ul << 33, 1ul << 33) == 0);
  return 0;
}
