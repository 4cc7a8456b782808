// Products and quotients of complex numbers of all three sizes, with zeros, infinities, NaNs, tiny and huge parts.
#include <complex.h>
#include <math.h>
#include <stdio.h>

#define ALL(NAME, TYPE, S)                                                                                             \
  static void NAME(void) {                                                                                             \
    static const TYPE edges[] = {0, -0.0, 1, -2.5, 1e-30, 3e30, INFINITY, -INFINITY, NAN};                             \
    unsigned long sum = 0;                                                                                             \
    for (int i = 0; i < 9 * 9 * 9 * 9; i++) {                                                                          \
      TYPE complex x = __builtin_complex(edges[i % 9], edges[i / 9 % 9]);                                              \
      TYPE complex y = __builtin_complex(edges[i / 81 % 9], edges[i / 729]);                                           \
      TYPE complex product = x * y, quotient = x / y;                                                                  \
      double parts[] = {creal##S(product), cimag##S(product), creal##S(quotient), cimag##S(quotient)};                 \
      for (int part = 0; part < 4; part++) {                                                                           \
        unsigned long bits;                                                                                            \
        __builtin_memcpy(&bits, &parts[part], sizeof bits);                                                            \
        /* The sign of a NaN is anybody's guess. */                                                                    \
        sum = sum * 31 + (isnan(parts[part]) ? 7 : bits);                                                              \
      }                                                                                                                \
    }                                                                                                                  \
    printf("%s %lx\n", #TYPE, sum);                                                                                    \
  }

ALL(singles, float, f)
ALL(doubles, double, )
ALL(extended, long double, l)

int main(void) {
  volatile double complex a = 1 + 2 * I, b = 3 - I;
  double complex c = a / b;
  printf("%.17g %.17g\n", creal(c), cimag(c));
  singles();
  doubles();
  extended();
  return 0;
}
