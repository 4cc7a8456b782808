#include <limits.h>

int main(int argc, char **argv) {
  int minimum = INT_MIN + argc - 1;
  return minimum / -argc; //~ division-overflow
}
