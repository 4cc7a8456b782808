#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  char *leak = malloc(argc);
  leak[0] = 'x';
  printf("fine\n");
  fprintf(stderr, "a.c:1:2: runtime error: not a report\n");
  return 3;
}
