// Two buffers are exchanged; if both are the same one, it is freed twice.
//@ trigger: a=u8:13 b=u8:5
//@ benign: a=u8:13 b=u8:6
#include <stdlib.h>
#include <umbra.h>

int main(void) {
  unsigned char a, b;
  umbra_symbolic(&a, 1, "a");
  umbra_symbolic(&b, 1, "b");
  char *pool[8];
  for (int i = 0; i < 8; i++) pool[i] = malloc(4);
  int first = a % 8, second = b % 8;
  if (a < 8 || b > 7) first = second ^ 1;
  free(pool[first]);
  free(pool[second]); //~ double-free
  for (int i = 0; i < 8; i++)
    if (i != first && i != second) free(pool[i]);
  return 0;
}
