// class: output-difference
// differs: content of out
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
