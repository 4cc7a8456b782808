#include <stdarg.h>
#include <stdio.h>

static void show(const char *format, va_list list) {
  for (; *format; format++)
    switch (*format) {
    case 'i': printf("%d ", va_arg(list, int)); break;
    case 'l': printf("%ld ", va_arg(list, long)); break;
    case 'd': printf("%g ", va_arg(list, double)); break;
    case 'L': printf("%Lg ", va_arg(list, long double)); break;
    case 's': printf("%s ", va_arg(list, char *)); break;
    }
  puts("");
}

static void twice(const char *format, ...) {
  va_list list, copy;
  va_start(list, format);
  va_copy(copy, list);
  show(format, list);
  show(format, copy);
  va_end(copy);
  va_end(list);
}

int main(void) {
  twice("iidLsl", 1, 'c', 2.5, 3.5L, "text", 1L << 40);
  twice("iiiiiiiiiidddddddddd", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1., 2., 3., 4., 5., 6., 7., 8., 9., 10.);
  twice("LiLdL", 1.L, 2, 3.L, 4., 5.L);
  return 0;
}
