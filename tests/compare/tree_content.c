// class: output-difference
// differs: tree
#include <stdio.h>
#ifdef OLD
#define TEXT "old"
#else
#define TEXT "new"
#endif
int main(void) {
  FILE *out = fopen("out", "w");
  fputs(TEXT, out);
  return fclose(out);
}
