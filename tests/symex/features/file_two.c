// Two symbolic files are compared.
//@ sym: file=A:3
//@ sym: file=B:3
//@ benign: file=A:"abc" file=B:"abd"
#include <stdio.h>

int main(void) {
  FILE *a = fopen("A", "r"), *b = fopen("B", "r");
  if (!a || !b) return 1;
  for (int at = 1;; at++) {
    int x = getc(a), y = getc(b);
    if (x == EOF && y == EOF) break;
    if (x == y) continue;
    printf("A B differ: byte %d\n", at);
    return 2;
  }
  puts("the same");
  return 0;
}
