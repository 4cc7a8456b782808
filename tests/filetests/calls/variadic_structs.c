#include <stdarg.h>
#include <stdio.h>

struct tiny { char c; };
struct point { double x, y; };
struct mixed { int i; float f; double d; };
struct large { long v[4]; };

static void show(int n, ...) {
  va_list list;
  va_start(list, n);
  struct tiny t = va_arg(list, struct tiny);
  struct point p = va_arg(list, struct point);
  struct mixed m = va_arg(list, struct mixed);
  struct large l = va_arg(list, struct large);
  int last = va_arg(list, int);
  va_end(list);
  printf("%c %g %g %d %g %g %ld %ld %d\n", t.c, p.x, p.y, m.i, m.f, m.d, l.v[0], l.v[3], last);
}

int main(void) {
  show(5, (struct tiny){'t'}, (struct point){1, 2}, (struct mixed){3, 4, 5},
       (struct large){{6, 7, 8, 9}}, 10);
  return 0;
}
