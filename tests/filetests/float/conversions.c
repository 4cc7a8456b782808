#include <stdint.h>
#include <stdio.h>

int main(void) {
  volatile double d = -3.99, big = 1e19;
  volatile float f = 16777217.0f;
  volatile int64_t i = INT64_MAX;
  volatile uint64_t u = UINT64_MAX;
  printf("%d %u %lld %llu\n", (int)d, (unsigned)(d + 10), (long long)d, (unsigned long long)big);
  printf("%.1f %.1f %.1f\n", f, (float)i, (double)u);
  printf("%.1f %d\n", (double)(float)0.1, (signed char)d);
  printf("%.17g %.9g\n", 0.1, 0.1f);
  printf("%d %d\n", (int)(_Bool)d, (int)(_Bool)0.0);
  return 0;
}
