#include <math.h>
#include <stdio.h>

int main(void) {
  volatile double zero = 0, one = 1;
  double inf = one / zero, nan = zero / zero;
  printf("%f %f %d %d %d\n", inf, -inf, nan == nan, nan != nan, nan < one);
  printf("%d %d %d %d\n", isnan(nan) != 0, isinf(inf) != 0, signbit(-zero) != 0, isfinite(one));
  printf("%g %g %g %g\n", fmin(nan, 1), fmax(-inf, 2), copysign(3, -zero), fabs(-zero));
  printf("%g %g\n", fmod(5.5, -2), remainder(5.5, 2));
  printf("%a %a\n", 5e-324, 2.2250738585072014e-308);
  return 0;
}
