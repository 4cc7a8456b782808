#include <complex.h>
#include <stdio.h>

int main(void) {
  volatile double complex a = 1 + 2 * I, b = 3 - I;
  double complex c = a * b;
  printf("%g %g\n", creal(c), cimag(c));
  printf("%g %g\n", cabs(b * b), creal(conj(a) * a));
  float complex f = 2.5f * I;
  printf("%g %g\n", crealf(f * f), cimagf(f));
  return 0;
}
