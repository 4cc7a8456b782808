#include <stdio.h>

struct inner { char a; short b; };
struct outer { struct inner in[3]; double d; union { int i; float f; } u; };

static struct outer make(int n) {
  struct outer o = {{{'a', 1}, {'b', 2}, {'c', (short)n}}, n * 0.5, {n}};
  return o;
}

static struct outer twist(struct outer o, struct inner in) {
  o.in[0] = o.in[2];
  o.in[2] = in;
  o.d = -o.d;
  return o;
}

int main(void) {
  struct outer o = twist(twist(make(9), make(3).in[1]), (struct inner){'z', -1});
  for (int i = 0; i < 3; i++)
    printf("%c %d\n", o.in[i].a, o.in[i].b);
  printf("%g %d\n", o.d, o.u.i);
  return 0;
}
