// A search that is left by longjmp from a depth that depends on the input.
//@ domain: wanted=1
#include <setjmp.h>
#include <stdio.h>
#include <umbra.h>

static jmp_buf found;
static volatile int visited;

static void search(int low, int high, int wanted) {
  visited++;
  int middle = (low + high) / 2;
  if (middle == wanted) longjmp(found, middle + 1);
  if (low >= high) return;
  search(low, middle - 1, wanted);
  search(middle + 1, high, wanted);
}

int main(void) {
  unsigned char wanted;
  umbra_symbolic(&wanted, 1, "wanted");
  int result = setjmp(found);
  if (result == 0) search(0, 14, wanted);
  printf("%d after %d\n", result, visited);
  return result != 0;
}
