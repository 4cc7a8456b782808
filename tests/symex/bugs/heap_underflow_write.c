// Digits are written from the end of the buffer on; there is room for four of them, not for a sign.
//@ trigger: n=i16:-1234
//@ benign: n=i16:1234
#include <stdlib.h>
#include <umbra.h>

int main(void) {
  short n;
  umbra_symbolic(&n, sizeof n, "n");
  umbra_assume(n > -10000 && n < 10000);
  int rest = n < 0 ? -n : n;
  char *text = malloc(4), *next = text + 4;
  do {
    *--next = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest);
  if (n < 0) *--next = '-'; //~ out-of-bounds-write
  int result = *next;
  free(text);
  return result == '7';
}
