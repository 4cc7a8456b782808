// Swapping without a third variable fails when both are the same place.
//@ trigger: i=u8:2 j=u8:6
//@ benign: i=u8:2 j=u8:5
#include <assert.h>
#include <umbra.h>

static unsigned values[4] = {11, 22, 33, 44};

static void swap(unsigned *a, unsigned *b) {
  *a ^= *b;
  *b ^= *a;
  *a ^= *b;
}

int main(void) {
  unsigned char i, j;
  umbra_symbolic(&i, 1, "i");
  umbra_symbolic(&j, 1, "j");
  if (i > 3 || j < 4 || j > 7) return 1;
  swap(&values[i], &values[j - 4]);
  unsigned sum = 0;
  for (int k = 0; k < 4; k++) sum += values[k];
  assert(sum == 110); //~ assertion-failure
  return 0;
}
