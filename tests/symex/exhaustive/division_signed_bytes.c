// Quotient and remainder of all signed bytes.
//@ domain: a=1 b=1
#include <stdio.h>
#include <umbra.h>

int main(void) {
  signed char a, b;
  umbra_symbolic(&a, 1, "a");
  umbra_symbolic(&b, 1, "b");
  if (b == 0) return 2;
  int quotient = a / b, remainder = a % b;
  if (quotient == 0) return 3;
  if (remainder < 0) printf("negative %d\n", quotient > 0);
  else if (remainder > 100) printf("large %d\n", remainder);
  return (signed char)quotient == quotient;
}
