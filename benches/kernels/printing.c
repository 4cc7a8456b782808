/* printf and its kin: format parsing, numbers to text, buffered output. */
#include <stdio.h>
#ifndef N
#define N 15000
#endif
int main(void) {
  char line[200];
  unsigned sum = 0;
  for (int i = 0; i < N; i++) {
    int n = snprintf(line, sizeof line, "%d %08x %-10s|%5.3f %c %lu", i, i * 31, "text", i / 7.0,
                     'a' + i % 26, (unsigned long)i * i);
    for (int k = 0; k < n; k++) sum = sum * 31 + line[k];
    printf("%s\n", line);
  }
  printf("%u\n", sum);
  return 0;
}
