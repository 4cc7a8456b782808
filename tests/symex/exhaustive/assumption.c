// Assumptions that the first input does not meet, one after the other and in a branch.
//@ domain: x=1 y=u8:0..40
#include <umbra.h>
#include <stdio.h>

int main(void) {
  unsigned char x, y;
  umbra_symbolic(&x, 1, "x");
  umbra_symbolic(&y, 1, "y");
  umbra_assume((x >= 40) & (x < 72));
  umbra_assume(y >= 3);
  umbra_assume(y < 35);
  if (x > y + 20) {
    umbra_assume(y != 9);
    puts("far");
  }
  return x & y & 7;
}
