/* count FILE: lines of the file; the total is kept in the file `total`. */
#include "common.h"

int main(int argc, char **argv) {
  int lines = 0, total = 0, c;
  if (argc != 2) return 2;
  FILE *file = open_input(argv[1]);
  while ((c = getc(file)) != EOF) lines += c == '\n';
  FILE *kept = fopen("total", "r");
  if (kept) {
    if (fscanf(kept, "%d", &total) != 1) total = 0;
    fclose(kept);
  }
  kept = fopen("total", "w");
  fprintf(kept, "%d lines\n", total + lines);
  printf("%d\n", lines);
  return 0;
}
