// Structs with padding at a symbolic index.
//@ domain: x=1
#include <klee/klee.h>
#include <stdio.h>

struct planet {
  char initial;
  short moons;
  double mass;
};

static const struct planet planets[] = {
    {'m', 0, 0.055}, {'v', 0, 0.815}, {'e', 1, 1.0}, {'m', 2, 0.107}, {'j', 95, 317.8}, {'s', 146, 95.2},
};

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, 1, "x");
  if (x >= 6) return 1;
  const struct planet *planet = &planets[x];
  if (planet->moons > 50) printf("many moons, %c\n", planet->initial);
  if (planet->mass < 0.9) return 2;
  struct planet copy = planets[5 - x];
  return copy.initial == 'm' ? 3 : 4;
}
