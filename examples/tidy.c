/* Removes the files it is given and leaves a note. */
#include <stdio.h>

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (remove(argv[i]) != 0) { perror(argv[i]); return 1; }
  FILE *note = fopen("note", "w");
  fprintf(note, "removed %d\n", argc - 1);
  fclose(note);
  printf("removed %d\n", argc - 1);
  return 0;
}
