// class: nondeterminism-introduced
// differs: content of out
#include <stdio.h>
#include <sys/random.h>
int main(void) {
  unsigned long number = 7;
#ifdef NEW
  if (getrandom(&number, sizeof number, 0) != sizeof number) return 1;
#endif
  FILE *out = fopen("out", "w");
  fprintf(out, "%020lu\n", number);
  return fclose(out);
}
