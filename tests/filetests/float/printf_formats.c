#include <stdio.h>

int main(void) {
  double values[] = {0, -0.0, 1, 0.1, 123456789, 1e-5, 1e100, 2.5, 3.5, 1.0 / 3};
  for (int i = 0; i < 10; i++) {
    printf("%f %e %g %a\n", values[i], values[i], values[i], values[i]);
    printf("%.0f %.3e %10.2f|%-10.1f|%+g %#g\n", values[i], values[i], values[i], values[i],
           values[i], values[i]);
  }
  return 0;
}
