// A function of the compiler's own library, which the bitcode libc does not hold yet.
#include <complex.h>

int main(void) {
  volatile double complex a = 1 + 2 * I, b = 3 - I;
  double complex c = a / b; //~ unsupported
  return (int)creal(c);
}
