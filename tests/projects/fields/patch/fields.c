/* fields [-z] N [FILE...]: the Nth field of every line. */
#include "common.h"

static void print_field(char *line, int number) {
  char *field = strtok(line, " \t\n");
  while (field && --number > 0) field = strtok(NULL, " \t\n");
  puts(field ? field : "");
}

static void print_file(FILE *file, int number) {
  char line[256];
  char copy[64];
  while (fgets(line, sizeof line, file)) print_field(strcpy(copy, line), number);
}

int main(int argc, char **argv) {
  int zero = argc > 1 && !strcmp(argv[1], "-z");
  argc -= zero, argv += zero;
  if (argc < 2 || atoi(argv[1]) < 1) {
    fprintf(stderr, "usage: fields [-z] N [FILE...]\n");
    return 2;
  }
  int number = atoi(argv[1]);
  if (argc == 2) print_file(stdin, number);
  for (int i = 2; i < argc; i++) print_file(open_input(argv[i]), number);
  return 0;
}
