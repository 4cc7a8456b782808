#include <stdlib.h>

static void fail(void) {
  abort(); //~ abort
}

int main(void) {
  fail();
  return 0;
}
