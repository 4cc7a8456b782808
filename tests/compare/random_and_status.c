// class: output-difference
// differs: end
// Chance on one channel does not hide what is certain on another.
#include <stdio.h>
#include <sys/random.h>
int main(void) {
  unsigned long number;
  if (getrandom(&number, sizeof number, 0) != sizeof number) return 9;
  printf("%lu\n", number);
#ifdef OLD
  return 0;
#else
  return 1;
#endif
}
