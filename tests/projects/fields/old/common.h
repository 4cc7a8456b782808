#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *open_input(const char *name) {
  if (!strcmp(name, "-")) return stdin;
  FILE *file = fopen(name, "r");
  if (!file) {
    fprintf(stderr, "cannot open %s: %s\n", name, strerror(errno));
    exit(2);
  }
  return file;
}
