// Function pointers in structs of different tables; one is missing.
//@ domain: x=2
#include <klee/klee.h>
#include <stddef.h>

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a > b ? a - b : b - a; }
static int both(int a, int b) { return a & b; }

struct operation {
  char name;
  int (*function)(int, int);
};
static const struct operation small[] = {{'+', add}, {'-', sub}};
static const struct operation large[] = {{'&', both}, {'+', add}, {'?', NULL}, {'-', sub}};

int main(void) {
  unsigned char x[2];
  klee_make_symbolic(x, sizeof x, "x");
  const struct operation *table = x[0] & 1 ? large : small;
  const struct operation *operation = &table[(x[0] >> 1) & (x[0] & 1 ? 3 : 1)];
  int (*function)(int, int) = operation->function;
  if (operation->name == '?' && x[1] < 250) return 77;
  return function(x[1] & 31, x[0] >> 4); //~ bad-function-pointer
}
