// class: flaky
// differs: stdout
#include <stdio.h>
#include <sys/random.h>
int main(void) {
  unsigned long number;
  if (getrandom(&number, sizeof number, 0) != sizeof number) return 1;
  printf("%lu\n", number);
  return 0;
}
