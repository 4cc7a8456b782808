#include <stdio.h>

int main(void) {
  int i = 0, j;
outer:
  j = 0;
inner:
  if (j++ < 3) {
    if (i * j == 2)
      goto next;
    printf("%d,%d ", i, j);
    goto inner;
  }
next:
  if (++i < 4)
    goto outer;
  puts("");
  return 0;
}
