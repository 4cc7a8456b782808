#include <limits.h>

int main(int argc, char **argv) {
  long minimum = LONG_MIN + argc - 1;
  return (int)(minimum / -argc); //~ division-overflow
}
