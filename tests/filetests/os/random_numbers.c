#include <stdio.h>
#include <stdlib.h>

int main(void) {
  srand(42);
  srandom(7);
  srand48(3);
  for (int i = 0; i < 5; i++)
    printf("%d %ld %.17g\n", rand(), random(), drand48());
  return 0;
}
