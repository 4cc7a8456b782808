// qsort of three values made from two bytes, then bsearch.
//@ domain: a=i32:0..16 b=i32:0..16
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
  int left = *(const int *)a, right = *(const int *)b;
  return (left > right) - (left < right);
}

int main(void) {
  int values[4];
  values[0] = klee_range(0, 16, "a");
  values[1] = 7;
  values[2] = klee_range(0, 16, "b");
  values[3] = 11;
  qsort(values, 4, sizeof values[0], compare);
  int key = 7, *place = bsearch(&key, values, 4, sizeof values[0], compare);
  printf("%d\n", values[3] > 11);
  return place ? values[0] == 7 : 9;
}
