// A variadic function that takes as many arguments of as many types as it is told.
//@ domain: x=1
#include <klee/klee.h>
#include <stdarg.h>
#include <stdio.h>

static double sum(const char *types, ...) {
  va_list list;
  va_start(list, types);
  double total = 0;
  for (; *types; types++) {
    if (*types == 'i') total += va_arg(list, int);
    else if (*types == 'l') total += (double)va_arg(list, long);
    else total += va_arg(list, double);
  }
  va_end(list);
  return total;
}

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, 1, "x");
  static const char *const types[] = {"", "i", "il", "ild"};
  double total = sum(types[x & 3], (int)(x >> 2), 1000L * (x & 4), 0.5);
  if (total > 2000) printf("large\n");
  return (int)total % 50;
}
