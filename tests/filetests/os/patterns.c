#include <fnmatch.h>
#include <glob.h>
#include <regex.h>
#include <stdio.h>

int main(void) {
  regex_t regex;
  regmatch_t match[3];
  regcomp(&regex, "([a-z]+)[0-9]{2,}(x|y)?", REG_EXTENDED);
  int result = regexec(&regex, "12 abc345y", 3, match, 0);
  printf("%d %d-%d %d-%d\n", result, (int)match[0].rm_so, (int)match[0].rm_eo,
         (int)match[1].rm_so, (int)match[1].rm_eo);
  printf("%d\n", regexec(&regex, "abc3", 0, 0, 0) == REG_NOMATCH);
  regfree(&regex);
  printf("%d %d\n", fnmatch("*.[ch]", "main.c", 0), fnmatch("?", "ab", 0) != 0);
  fclose(fopen("b.txt", "w"));
  fclose(fopen("a.txt", "w"));
  glob_t found;
  glob("*.txt", 0, 0, &found);
  for (size_t i = 0; i < found.gl_pathc; i++)
    puts(found.gl_pathv[i]);
  globfree(&found);
  return 0;
}
