#include <stdio.h>

#define kind(x) _Generic((x), int: "int", double: "double", char *: "string", default: "other")
#define max(a, b) ({ __typeof__(a) x = (a), y = (b); x > y ? x : y; })

struct point { int x, y; };

static struct point make(int n) { return (struct point){.y = n, .x = n + 1}; }

int main(void) {
  printf("%s %s %s %s\n", kind(1), kind(1.0), kind((char *)0), kind(1u));
  printf("%d %g %d\n", max(1, 2), max(2.5, 1.5), make(4).x);
  int array[] = {[3] = 3, [1] = 1}, *p = (int[]){7, 8, 9};
  printf("%zu %d %d %d\n", sizeof array / sizeof *array, array[2], array[3], p[2]);
  printf("%d\n", __builtin_constant_p(3) + __builtin_expect(array[1], 1));
  return 0;
}
