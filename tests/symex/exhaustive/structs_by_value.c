// Structs of several sizes as arguments and results.
//@ domain: x=1 y=1
#include <klee/klee.h>
#include <stdio.h>

struct point { signed char x, y; };
struct box { struct point low, high; long area; };

static struct point turned(struct point p) { return (struct point){(signed char)~p.y, p.x}; }

static struct box around(struct point a, struct point b) {
  struct box box = {a, b, 0};
  if (a.x > b.x) box.low.x = b.x, box.high.x = a.x;
  if (a.y > b.y) box.low.y = b.y, box.high.y = a.y;
  box.area = (long)(box.high.x - box.low.x) * (box.high.y - box.low.y);
  return box;
}

int main(void) {
  struct point p;
  klee_make_symbolic(&p.x, 1, "x");
  klee_make_symbolic(&p.y, 1, "y");
  struct box box = around(p, turned(p));
  if (box.area > 20000) printf("huge\n");
  return box.area == 0 ? 1 : box.low.x == p.x ? 2 : 3;
}
