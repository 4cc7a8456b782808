//@ sym: stdin=1
//@ process: fresh, a process that runs all inputs has memory of its own
// Whether memory is refused depends on a limit that the input sets.
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

int main(void) {
  unsigned char b;
  if (read(0, &b, 1) != 1) return 99;
  struct rlimit r = { (rlim_t)b << 20, (rlim_t)b << 20 };
  setrlimit(RLIMIT_AS, &r);
  return malloc(100 << 20) ? 0 : 1;
}
