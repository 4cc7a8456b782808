#include <stdlib.h>
static int sum(const int *p, int n) {
  int s = 0;
  for (int i = 0; i <= n; i++)
    s += p[i]; //~ heap-buffer-overflow
  return s;
}
int main(void) {
  int *p = calloc(4, sizeof *p);
  return sum(p, 4);
}
