// Scalars: the bounds may be the wrong way round.
//@ function: clamp
//@ trigger: arg="x"
//@ benign:
#include <assert.h>

int clamp(int value, int low, int high) {
  int result = value < low ? low : value > high ? high : value;
  assert(result <= high); //~ assertion-failure
  return result;
}

int main(int argc, char **argv) {
  return argc > 1 ? clamp(5, 9, 3) : clamp(5, 3, 9);
}
