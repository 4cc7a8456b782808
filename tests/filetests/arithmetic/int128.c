#include <stdio.h>

static void print(unsigned __int128 n) {
  char digits[40];
  int i = 40;
  digits[--i] = 0;
  do {
    digits[--i] = (char)('0' + (int)(n % 10));
    n /= 10;
  } while (n);
  puts(digits + i);
}

int main(void) {
  unsigned __int128 n = 1;
  for (int i = 2; i <= 34; i++)
    n *= i;
  print(n);
  print(n / 1000000007u % 12345);
  print(n << 3 ^ n >> 70);
  __int128 s = -(__int128)n;
  print((unsigned __int128)(s / -3));
  printf("%d %d %d\n", s < 0, s >> 100 == -1, (int)(s % 1000003));
  printf("%g %Lg\n", (double)n, (long double)s);
  print((unsigned __int128)1e30);
  return 0;
}
