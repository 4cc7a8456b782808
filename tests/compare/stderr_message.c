// class: output-difference
// differs: stderr from byte 10
#include <stdio.h>
#ifdef OLD
#define MESSAGE "cannot do it"
#else
#define MESSAGE "cannot do that"
#endif
int main(void) {
  fprintf(stderr, "%s\n", MESSAGE);
  return 1;
}
