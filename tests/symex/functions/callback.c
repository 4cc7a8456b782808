// A function pointer among the parameters is called if it is there.
//@ function: apply
//@ benign:
#include <stddef.h>

int twice(int x) { return x * 2; }

int apply(int (*function)(int), int x) {
  if (!function || x > 1000 || x < -1000) return x == 0;
  return function(x) > 10;
}

int main(void) { return apply(twice, 6) != 1; }
