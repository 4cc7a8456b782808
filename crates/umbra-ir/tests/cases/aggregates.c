// Structs in registers, by value, through a hidden pointer.
struct pair { long a, b; };
struct mixed { double d; int i; };
struct large { int x[20]; };

struct pair make(long a, long b) { return (struct pair){a, b}; }
struct mixed mix(struct mixed m) { m.i++; return m; }
struct large big(struct large l, int i) { l.x[i] = 1; return l; }
long use(struct pair p, struct large l) {
  struct pair q = make(p.b, p.a);
  struct large r = big(l, 3);
  return q.a + r.x[3] + mix((struct mixed){1.5, 2}).i;
}
