#include <stdio.h>

int main(void) {
  int sum = 0, *p = 0;
  for (int i = 0; i < 5; i++) {
    int values[3] = {i, i + 1, i + 2};
    p = values;
    if (i == 2)
      continue;
    {
      int more[2] = {*p, p[2]};
      p = more;
      sum += p[0] + p[1];
    }
    p = values;
    sum += *p;
  }
again:;
  int late[2];
  late[0] = sum;
  if (sum++ < 100)
    goto again;
  printf("%d %d\n", sum, late[0]);
  return 0;
}
