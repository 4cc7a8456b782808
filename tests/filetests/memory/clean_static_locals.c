#include <stdio.h>

static int next(void) {
  static int count = 5;
  static char buffer[4];
  buffer[count % 4] = (char)count;
  return count++ + buffer[0];
}

static int *counter(void) {
  static int value;
  return &value;
}

int main(void) {
  for (int i = 0; i < 5; i++)
    *counter() += next();
  printf("%d\n", *counter());
  return 0;
}
