#include <stdio.h>
#include <string.h>

static int use(int n) {
  char *p = __builtin_alloca(n + 1);
  memset(p, 'x', n);
  p[n] = 0;
  return (int)strlen(p);
}

int main(void) {
  int sum = 0;
  for (int i = 1; i < 2000; i++) {
    int values[i];
    for (int j = 0; j < i; j++)
      values[j] = j;
    sum += values[i - 1] + (int)(sizeof values / sizeof *values) + use(i);
  }
  int rows = 3, columns = 4, table[rows][columns];
  for (int i = 0; i < rows * columns; i++)
    table[i / columns][i % columns] = i;
  printf("%d %d %zu\n", sum, table[2][3], sizeof table);
  return 0;
}
