// The search gives up when one element is left.
//@ trigger: wanted=u8:3
//@ benign: wanted=u8:8
#include <assert.h>
#include <umbra.h>

static const unsigned char sorted[7] = {3, 8, 19, 31, 42, 53, 77};

static int search(unsigned char wanted) {
  int low = 0, high = 6;
  while (low < high) {
    int middle = (low + high) / 2;
    if (sorted[middle] == wanted) return middle;
    if (sorted[middle] < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

int main(void) {
  unsigned char wanted;
  umbra_symbolic(&wanted, 1, "wanted");
  int present = 0;
  for (int i = 0; i < 7; i++) present |= sorted[i] == wanted;
  assert(!present || search(wanted) >= 0); //~ assertion-failure
  return 0;
}
