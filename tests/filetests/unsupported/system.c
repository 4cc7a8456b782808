#include <stdio.h>
#include <stdlib.h>

int main(void) {
  printf("%d\n", system("true")); //~ unsupported
  return 0;
}
