#include <complex.h>
#include <stdio.h>

int main(void) {
  volatile double complex a = 1 + 2 * I, b = 3 - I;
  double complex c = a * b, d = a / b;
  printf("%g %g %g %g\n", creal(c), cimag(c), creal(d), cimag(d));
  printf("%g %g\n", cabs(b * b), creal(conj(a) * a));
  float complex f = 2.5f * I;
  printf("%g %g\n", crealf(f * f), cimagf(f));
  return 0;
}
