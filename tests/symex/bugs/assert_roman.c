// Roman numerals with a value that depends on the next digit; 'L' is missing in the order.
//@ sym: stdin=2
//@ trigger: stdin="XL"
//@ benign: stdin="IX"
#include <assert.h>
#include <stdio.h>

static int value(int digit) {
  switch (digit) {
  case 'I': return 1;
  case 'V': return 5;
  case 'X': return 10;
  case 'L': return 50;
  }
  return 0;
}

int main(void) {
  int first = getchar(), second = getchar();
  if (!value(first) || !value(second)) return 1;
  int smaller = (first == 'I' && second != 'I') || (first == 'V' && second == 'X');
  int total = smaller ? value(second) - value(first) : value(first) + value(second);
  if (first == 'V') return 2;
  assert(!(value(first) < value(second)) || total < value(second)); //~ assertion-failure
  printf("%d\n", total);
  return 0;
}
