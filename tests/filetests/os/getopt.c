//@ args: -a -b value --long=5 --flag rest -c more
#include <getopt.h>
#include <stdio.h>

int main(int argc, char **argv) {
  struct option options[] = {{"long", required_argument, 0, 'l'}, {"flag", no_argument, 0, 'f'}, {0}};
  int c;
  while ((c = getopt_long(argc, argv, "ab:c", options, 0)) != -1)
    printf("%c %s\n", c, optarg ? optarg : "-");
  for (int i = optind; i < argc; i++)
    puts(argv[i]);
  return 0;
}
