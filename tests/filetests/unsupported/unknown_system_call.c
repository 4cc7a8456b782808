//@ native: different the kernel's answer depends on its version
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
  long result = syscall(5000, 1, 2, 3);
  printf("%ld %d\n", result, errno);
  return 0;
}
