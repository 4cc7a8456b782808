// KEY=VALUE without the sign, behind a check that is too weak.
//@ sym: stdin=5
//@ trigger: stdin="ab:c\n"
//@ benign: stdin="ab=c\n"
#include <stdio.h>
#include <string.h>

int main(void) {
  char line[8];
  if (!fgets(line, sizeof line, stdin)) return 1;
  line[strcspn(line, "\n")] = 0;
  if (strlen(line) != 4 || !strpbrk(line, "=:")) return 2;
  char *value = strchr(line, '=');
  *value++ = 0; //~ null-dereference
  printf("%s is %s\n", line, value);
  return 0;
}
