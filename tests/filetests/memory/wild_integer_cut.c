// An address that went through an int.
#include <stdlib.h>

int main(void) {
  int *p = calloc(1, 4);
  int cut = (int)(long)p;
  p = (int *)(((long)cut & 0xffffffff) | 0x7fff000000000000);
  return *p; //~ wild-pointer
}
