#include <assert.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
  assert(*(int *)a != *(int *)b && "no two are equal"); //~ assertion-failure
  return *(int *)a - *(int *)b;
}

int main(void) {
  int values[] = {3, 1, 3};
  qsort(values, 3, sizeof values[0], compare);
  return 0;
}
