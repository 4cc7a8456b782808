// strspn, strcspn, strpbrk and strtok.
//@ sym: stdin=2
#include <stdio.h>
#include <string.h>

int main(void) {
  char text[6] = "a";
  if (fread(text + 1, 1, 2, stdin) != 2) return 9;
  strcat(text, "b");
  int status = (int)strspn(text, "abc") + 10 * (int)strcspn(text, ",;");
  char *mark = strpbrk(text, "!?");
  if (mark) printf("%c\n", *mark);
  int words = 0;
  for (char *word = strtok(text, ", "); word; word = strtok(NULL, ", ")) words++;
  printf("%d words\n", words);
  return status;
}
