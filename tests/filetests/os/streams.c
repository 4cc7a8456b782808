//@ stdin: a line of some length\nanother\n
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  char *line = 0, *text;
  size_t size = 0;
  while (getline(&line, &size, stdin) > 0)
    printf("%zu %s", strlen(line), line);
  free(line);
  FILE *memory = open_memstream(&text, &size);
  fprintf(memory, "%d-%s", 5, "five");
  fclose(memory);
  printf("%zu %s\n", size, text);
  FILE *reader = fmemopen(text, size, "r");
  int n;
  char word[8];
  printf("%d %d %s\n", fscanf(reader, "%d-%7s", &n, word), n, word);
  fclose(reader);
  free(text);
  char name[] = "tmpXXXXXX";
  int fd = mkstemp(name);
  printf("%d %zu\n", fd > 2, strlen(name));
  FILE *file = fdopen(fd, "w+");
  setvbuf(file, 0, _IOLBF, 16);
  fputs("buffered\nrest", file);
  printf("%ld\n", (long)lseek(fd, 0, SEEK_CUR));
  fclose(file);
  return unlink(name);
}
