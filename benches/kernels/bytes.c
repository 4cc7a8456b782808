/* Loops over bytes, libc's and our own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef N
#define N 300
#endif
__attribute__((noinline)) static size_t length(const char *s) {
  const char *p = s;
  while (*p) p++;
  return p - s;
}
__attribute__((noinline)) static unsigned crc(const unsigned char *p, size_t n) {
  unsigned c = ~0u;
  for (size_t i = 0; i < n; i++) {
    c ^= p[i];
    for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
  }
  return ~c;
}
int main(void) {
  size_t size = 8192, total = 0;
  char *text = malloc(size);
  for (size_t i = 0; i < size - 1; i++) text[i] = 'a' + i % 23;
  text[size - 1] = 0;
  for (int n = 0; n < N; n++) {
    total += length(text) + strlen(text);
    total += (char *)memchr(text, 0, size) - text;
    total += strcmp(text, text + 23) < 0;
  }
  printf("%zu %x\n", total, crc((unsigned char *)text, size));
  free(text);
  return 0;
}
