// argv[0] is not symbolic, and nothing follows the terminator of an argument.
//@ sym: args=1x3
//@ trigger: arg="end"
//@ benign: arg="abc"
#include <assert.h>
#include <string.h>

int main(int argc, char **argv) {
  assert(argv[0] && argv[0][0]);
  if (argc < 2) return 1;
  size_t length = strlen(argv[1]);
  if (length < 3) return 2;
  assert(memcmp(argv[1], "end", 3) != 0); //~ assertion-failure
  return 0;
}
