//@ cc: -DNDEBUG
#include <assert.h>

int main(int argc, char **argv) {
  assert(argc == 100);
  return 0;
}
