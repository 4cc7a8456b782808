#include <stdint.h>
#include <stdio.h>
#include <string.h>

union number {
  double d;
  uint64_t u;
  unsigned char b[8];
};

struct __attribute__((packed)) packed {
  char a;
  int b;
  double c;
  short d;
};

int main(void) {
  union number n = {.d = 1.5};
  printf("%llx %x\n", (unsigned long long)n.u, n.b[7]);
  n.b[7] = 0xc0;
  printf("%g\n", n.d);
  struct packed p[2] = {{'a', 1, 2.5, 3}, {'b', -1, -2.5, -3}};
  printf("%zu %d %g %d\n", sizeof p, p[1].b, p[1].c, p[1].d);
  float f;
  uint32_t bits = 0x40490fdb;
  memcpy(&f, &bits, 4);
  printf("%.6f\n", f);
  return 0;
}
