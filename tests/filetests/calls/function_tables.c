#include <stdio.h>
#include <stdlib.h>

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }
static int (*const table[])(int, int) = {add, sub, mul};

static int (*choose(char c))(int, int) {
  return c == '+' ? add : c == '-' ? sub : mul;
}

static int compare(const void *a, const void *b) { return *(int *)a - *(int *)b; }

int main(void) {
  for (int i = 0; i < 3; i++)
    printf("%d %d\n", table[i](6, 3), choose("+-*"[i]) == table[i]);
  int key = 5, sorted[] = {1, 3, 5, 7};
  int *found = bsearch(&key, sorted, 4, sizeof key, compare);
  printf("%d %d\n", (int)(found - sorted), main != 0);
  key = 4;
  printf("%d\n", bsearch(&key, sorted, 4, sizeof key, compare) == 0);
  return 0;
}
