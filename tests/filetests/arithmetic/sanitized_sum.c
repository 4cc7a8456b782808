//@ cc: -fsanitize=undefined
#include <limits.h>

static int next(int number) {
  return number + 1; //~ integer-overflow
}

int main(int argc, char **argv) {
  return next(3) + next(INT_MAX - 1 + argc);
}
