// A result through a pointer that the caller may leave out, and one that it may not.
//@ function: split
//@ trigger: arg="x"
//@ benign:
#include <stddef.h>

int split(int value, int *high, int *low) {
  if (value < 0) return -1;
  if (high) *high = value / 100;
  if (value > 9999) return 1;
  *low = value % 100; //~ null-dereference
  return 0;
}

int main(int argc, char **argv) {
  int high, low;
  return argc > 1 ? split(1234, &high, NULL) : split(1234, NULL, &low);
}
