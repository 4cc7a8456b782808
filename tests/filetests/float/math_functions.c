#include <math.h>
#include <stdio.h>

int main(void) {
  for (int i = -4; i <= 4; i++) {
    double x = i * 0.7;
    printf("%.17g %.17g %.17g\n", sin(x), cos(x), tan(x));
    printf("%.17g %.17g %.17g\n", exp(x), log(fabs(x) + 1), pow(fabs(x), 1.7));
    printf("%.17g %.17g %.17g\n", atan2(x, 2), cbrt(x), hypot(x, 3));
    printf("%g %g %g %g %g\n", floor(x), ceil(x), round(x), trunc(x), rint(x));
    printf("%.9g %.9g\n", sqrtf((float)(x * x)), powf(2, (float)x));
    printf("%ld %ld\n", lround(x), lrint(x));
  }
  int exponent;
  double whole, m = frexp(1234.5, &exponent);
  printf("%g %d %g %g\n", m, exponent, ldexp(m, 3), modf(-2.75, &whole));
  printf("%.17g\n", fma(0.1, 10, -1));
  return 0;
}
