/* Prints settings: NAME=VALUE, or -NAME=NUMBER for minus the number. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    char *name = argv[i], *value = strchr(name, '=');
    if (name[0] == '-')
      printf("%s -%d\n", name + 1, atoi(value + 1)); /* what if there is no = ? */
    else if (value)
      printf("%.*s %s\n", (int)(value - name), name, value + 1);
    else
      fprintf(stderr, "no value: %s\n", name);
  }
  return 0;
}
