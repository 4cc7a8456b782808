#include <math.h>
#include <stdio.h>

int main(void) {
  volatile long double a = 1, three = 3, huge = 1e4000l;
  a /= three;
  printf("%.20Lf %La\n", a, a);
  printf("%Lg %Lg\n", huge * 10, huge * huge);
  printf("%.15Lf %.15Lf\n", sqrtl(2), floorl(-2.5l));
  long double sum = 0;
  for (int i = 1; i <= 100; i++)
    sum += 1.0l / i;
  printf("%.18Lf %d %f\n", sum, (int)sum, (double)sum);
  printf("%d %d %d\n", a < three, a == (double)a, isnan(a) != 0);
  printf("%.0Lf %llu\n", 18446744073709551615.0l, (unsigned long long)18446744073709551615.0l);
  return 0;
}
