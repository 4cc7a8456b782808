// Two files, A and B; the program looks at the second.
//@ args: --sym-files 2 4
//@ paths: 2
#include <stdio.h>

int main(void) {
  FILE *file = fopen("B", "r");
  if (getc(file) == '#') return 1;
  return 0;
}
