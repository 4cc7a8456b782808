#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int main(void) {
  char buffer[64] = "The quick brown fox";
  printf("%zu %s %s\n", strlen(buffer), strstr(buffer, "quick"), strrchr(buffer, 'o'));
  printf("%zu %zu %s\n", strspn(buffer, "Teh "), strcspn(buffer, "xyz"), strpbrk(buffer, "zkb"));
  printf("%d %d %d\n", strcmp("a", "b") < 0, strncmp("abc", "abd", 2), strcasecmp("ABC", "abc"));
  for (char *word = strtok(buffer, " "); word; word = strtok(0, " "))
    printf("[%s]", word);
  memmove(buffer + 2, buffer, 10);
  printf("\n%.5s %d\n", buffer, memcmp("ab\0c", "ab\0d", 4) < 0);
  printf("%s %d\n", (char *)memchr("hello", 'l', 5), memchr("hello", 'z', 5) == 0);
  for (int c = 0; c < 128; c += 13)
    printf("%d%d%d%d ", !!isalpha(c), !!isspace(c), !!ispunct(c), toupper(c));
  char *copy = strndup("duplicate", 3);
  printf("\n%s %s\n", copy, strerror(2));
  free(copy);
  return 0;
}
