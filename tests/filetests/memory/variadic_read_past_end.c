#include <stdarg.h>

static int sum(int count, ...) {
  va_list list;
  int result = 0;
  va_start(list, count);
  for (int i = 0; i < count; i++)
    result += va_arg(list, int); //~ out-of-bounds-read
  va_end(list);
  return result;
}

int main(void) {
  return sum(2, 1, 2) + sum(3, 1, 2);
}
