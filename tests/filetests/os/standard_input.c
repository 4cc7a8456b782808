//@ stdin: first line\nsecond\n3 4.5 word\nrest of it
#include <stdio.h>
#include <unistd.h>

int main(void) {
  char line[20], word[10];
  int c, n = 0, i;
  double d;
  while ((c = getchar()) != '\n')
    n += c;
  printf("%d\n", n);
  printf("%s", fgets(line, sizeof line, stdin));
  printf("%d\n", scanf("%d %lf %9s", &i, &d, word));
  printf("%d %g %s\n", i, d, word);
  ungetc('X', stdin);
  while ((c = getchar()) != EOF)
    putchar(c);
  printf("\n%d %d %zd\n", feof(stdin) != 0, ferror(stdin), read(0, line, 1));
  return 0;
}
