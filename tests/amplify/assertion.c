// What must not happen does not, in the test.
//@ args: 3
//@ finds: assertion-failure distance 0 changed 1
#include <assert.h>

int main(int argc, char **argv) {
  if (argc < 2)
    return 1;
  int n = argv[1][0] - '0';
  assert(n != 5); //~ finding
  return n > 4;
}
