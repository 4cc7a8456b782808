//@ sym: stdin=1
// An eventfd counts from a number of the input.
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

int main(void) {
  unsigned char b;
  if (read(0, &b, 1) != 1) return 99;
  int f = eventfd(b & 15, EFD_NONBLOCK);
  if (f < 0) return 1;
  uint64_t v = b >> 4;
  if (write(f, &v, 8) != 8) return 2;
  if (read(f, &v, 8) != 8) return 3;
  return v == 17 ? 4 : v == 30 ? 5 : 6;
}
