//@ seed: . x
//@ mechanism: options
// A parser of its own, driven by a table, as find has: predicates stand behind what they are about.
#include <stdio.h>
#include <string.h>

typedef int (*parser)(const char *argument);

static int parse_name(const char *argument) {
  return argument ? (int)strlen(argument) : -1;
}

static int parse_empty(const char *argument) {
  (void)argument;
  return puts("reached"); // TARGET
}

static struct {
  const char *name;
  parser parse;
} table[] = {{"name", parse_name}, {"empty", parse_empty}, {NULL, NULL}};

int main(int argc, char **argv) {
  int result = 0;
  for (int at = 1; at < argc; at++) {
    if (argv[at][0] != '-')
      continue;
    for (int entry = 0; table[entry].name; entry++)
      if (strcmp(argv[at] + 1, table[entry].name) == 0)
        result += table[entry].parse(argv[at + 1]);
  }
  return result < 0;
}
