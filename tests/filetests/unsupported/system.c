//@ native: different the engine runs one program
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  printf("%d\n", system("true"));
  return 0;
}
