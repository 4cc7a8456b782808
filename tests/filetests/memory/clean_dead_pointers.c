// Pointers to what is gone may be kept, copied and compared with null.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct holder {
  int *p;
  int n;
};

static struct holder hold(void) {
  int local = 1;
  struct holder holder = {&local, local};
  return holder;
}

int main(void) {
  struct holder holder = hold(), copy;
  memcpy(&copy, &holder, sizeof copy);
  char *p = malloc(1);
  free(p);
  printf("%d %d %d\n", copy.n, copy.p != 0, p != 0);
  return 0;
}
