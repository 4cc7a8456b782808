//@ seed: file
//@ mechanism: options
// A long option with an argument, from a table.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

static const struct option options[] = {
    {"width", required_argument, NULL, 'w'},
    {"output-separator", required_argument, NULL, 256},
    {NULL, 0, NULL, 0},
};

int main(int argc, char **argv) {
  int option, width = 0;
  const char *separator = NULL;
  while ((option = getopt_long(argc, argv, "w:", options, NULL)) != -1) {
    if (option == 'w')
      width = atoi(optarg);
    if (option == 256)
      separator = optarg;
  }
  if (separator && separator[0])
    puts("reached"); // TARGET
  return width;
}
