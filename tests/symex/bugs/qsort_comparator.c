// Records are sorted by the priority of their kind; one kind has none.
//@ sym: stdin=3
//@ trigger: stdin="ace"
//@ benign: stdin="abd"
#include <stdlib.h>
#include <unistd.h>

static const int priority[4] = {3, 1, 2, 0};

static int compare(const void *a, const void *b) {
  const char *x = a, *y = b;
  int left = priority[*x - 'a'], right = priority[*y - 'a']; //~ out-of-bounds-read
  return left - right;
}

int main(void) {
  char kinds[3];
  if (read(0, kinds, 3) != 3) return 1;
  for (int i = 0; i < 3; i++)
    if (kinds[i] < 'a' || kinds[i] > 'e') return 2;
  if (kinds[0] == 'e' || kinds[1] == 'e') return 3;
  qsort(kinds, 3, 1, compare);
  return kinds[0] == 'd';
}
