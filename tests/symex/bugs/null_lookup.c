// A lookup that finds nothing is not expected.
//@ sym: args=1x2
//@ trigger: arg="zz"
//@ benign: arg="mv"
#include <stdio.h>
#include <string.h>

struct command {
  const char *name;
  int arguments;
};

static const struct command commands[] = {{"ls", 0}, {"cp", 2}, {"mv", 2}, {"rm", 1}};

static const struct command *find(const char *name) {
  for (int i = 0; i < 4; i++)
    if (strcmp(commands[i].name, name) == 0) return &commands[i];
  return NULL;
}

int main(int argc, char **argv) {
  if (argc < 2 || strlen(argv[1]) != 2) return 1;
  if (argv[1][0] != argv[1][1] && !find(argv[1])) return 2;
  return find(argv[1])->arguments; //~ null-dereference
}
