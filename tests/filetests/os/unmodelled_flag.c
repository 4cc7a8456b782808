// So does a flag.
#define _GNU_SOURCE
#include <sys/mman.h>

int main(void) {
  return mmap(0, 1 << 21, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0) == MAP_FAILED; //~ unsupported
}
