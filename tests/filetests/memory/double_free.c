#include <stdlib.h>

static void release(char *p) {
  free(p); //~ double-free
}

static void cleanup(char *p) {
  release(p);
}

int main(void) {
  char *p = malloc(20);
  cleanup(p);
  release(p);
  return 0;
}
