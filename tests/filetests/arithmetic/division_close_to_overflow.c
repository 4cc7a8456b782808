// Narrow types are promoted, so the most negative one of them can be divided.
#include <limits.h>
#include <stdio.h>

int main(int argc, char **argv) {
  volatile signed char c = SCHAR_MIN;
  volatile short s = SHRT_MIN;
  volatile int i = INT_MIN + 1, m = -1, n = INT_MIN;
  printf("%d %d %d %d %d\n", c / m, s / m, i / m, n / 2, n % 3);
  printf("%d %d %d %d\n", -7 / 2 * argc, -7 % 2, 7 / -2, 7 % -2);
  printf("%u %llu\n", 4000000000u / 3, 18446744073709551615ull / 10);
  return 0;
}
