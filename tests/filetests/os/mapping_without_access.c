// Memory that was only reserved cannot be read.
#include <sys/mman.h>

int main(void) {
  volatile char *p = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p[7]; //~ protected-memory
}
