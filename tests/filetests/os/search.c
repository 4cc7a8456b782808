#define _GNU_SOURCE
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) { return strcmp(a, b); }

static void show(const void *node, VISIT visit, int depth) {
  if (visit == postorder || visit == leaf)
    puts(*(char *const *)node);
}

static int with_argument(const void *a, const void *b, void *sign) {
  return *(int *)sign * (*(int *)a - *(int *)b);
}

int main(void) {
  void *root = 0;
  const char *words[] = {"pear", "apple", "fig", "date"};
  for (int i = 0; i < 4; i++)
    tsearch(words[i], &root, compare);
  twalk(root, show);
  printf("%d\n", tfind("kiwi", &root, compare) == 0);
  int values[] = {2, 3, 1}, sign = -1;
  qsort_r(values, 3, sizeof *values, with_argument, &sign);
  printf("%d %d %d\n", values[0], values[1], values[2]);
  return 0;
}
