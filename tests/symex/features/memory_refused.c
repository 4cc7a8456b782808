// What the engine refuses is refused natively too: the test carries the limit. What no process can
// have needs none.
//@ sym: stdin=1
//@ trigger: stdin="y"
//@ benign: stdin="x"
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  int choice = getchar();
  size_t size = 16;
  if (choice == 'x') size = (size_t)3 << 30;
  if (choice == 'y') size = PTRDIFF_MAX;
  char *volatile memory = malloc(size);
  assert(memory || choice != 'y'); //~ assertion-failure
  puts(memory ? "memory" : "no memory");
  free(memory);
  return 0;
}
