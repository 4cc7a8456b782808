// Undefined, but what every machine does: pointers and integers pass as each other.
#include <stdio.h>
#include <stdlib.h>

static int compare(const char *a, const char *b) {
  return *a - *b;
}

static long widened(long n) {
  return n & 0xff;
}

static int fewer(int a) {
  return a;
}

int main(void) {
  char text[] = "hello";
  qsort(text, 5, 1, (int (*)(const void *, const void *))compare);
  puts(text);
  printf("%d\n", ((int (*)(int))widened)(300));
  printf("%d\n", ((int (*)(int, int, int))fewer)(1, 2, 3));
  return 0;
}
