// class: nondeterminism-introduced
// differs: stdout
#include <stdio.h>
#include <sys/random.h>
int main(void) {
  unsigned long number = 7;
#ifdef NEW
  if (getrandom(&number, sizeof number, 0) != sizeof number) return 1;
#endif
  printf("%lu\n", number);
  return 0;
}
