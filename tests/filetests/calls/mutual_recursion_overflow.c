#include <string.h>

static int b(char *p);

static int a(char *p) {
  char copy[65536]; //~ stack-overflow
  memcpy(copy, p, sizeof copy);
  return b(copy) + 1;
}

static int b(char *p) {
  return a(p) + 1;
}

int main(void) {
  char start[65536] = "";
  return a(start);
}
