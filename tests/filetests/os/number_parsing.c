#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const char *texts[] = {"0", "-42x", "  077", "0x1fg", "99999999999999999999", "", "-", "+7"};
  for (int i = 0; i < 8; i++) {
    char *end;
    errno = 0;
    long n = strtol(texts[i], &end, 0);
    printf("[%s] %ld %d %d\n", texts[i], n, (int)(end - texts[i]), errno);
    printf("%lu %d\n", strtoul(texts[i], 0, 16), atoi(texts[i]));
  }
  int a, b, n;
  char word[8], set[8];
  printf("%d ", sscanf("12:34 abc[xyz]", "%d:%d %7[a-c][%7[^]]]%n", &a, &b, word, set, &n));
  printf("%d %d %s %s %d\n", a, b, word, set, n);
  printf("%d\n", sscanf("x", "%d", &a));
  return 0;
}
