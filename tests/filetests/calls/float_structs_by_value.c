#include <stdio.h>

struct f1 { float a; };
struct f2 { float a, b; };
struct f3 { float a, b, c; };
struct d2 { double a, b; };
struct d3 { double a, b, c; };
struct fi { float a; int b; };
struct di { double a; char b; };
struct ld { long double a; };

static struct f1 g1(struct f1 s) { s.a *= 2; return s; }
static struct f2 g2(struct f2 s) { s.b += s.a; return s; }
static struct f3 g3(struct f3 s) { s.c += s.a; return s; }
static struct d2 g4(struct d2 s) { s.a += s.b; return s; }
static struct d3 g5(struct d3 s) { s.c += s.b; return s; }
static struct fi g6(struct fi s) { s.b += (int)s.a; return s; }
static struct di g7(struct di s) { s.a += s.b; return s; }
static struct ld g8(struct ld s) { s.a /= 3; return s; }

int main(void) {
  printf("%g\n", g1((struct f1){1.5f}).a);
  printf("%g\n", g2((struct f2){1.5f, 2}).b);
  printf("%g\n", g3((struct f3){1.5f, 2, 3}).c);
  printf("%g\n", g4((struct d2){1.5, 2}).a);
  printf("%g\n", g5((struct d3){1, 2, 3}).c);
  printf("%d\n", g6((struct fi){1.5f, 2}).b);
  printf("%g\n", g7((struct di){1.5, 'a'}).a);
  printf("%.20Lg\n", g8((struct ld){1}).a);
  return 0;
}
