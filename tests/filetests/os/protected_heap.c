// Whole pages of the heap can be protected too.
#include <stdlib.h>
#include <sys/mman.h>

int main(void) {
  char *p = aligned_alloc(4096, 8192);
  p[0] = 1;
  if (mprotect(p + 4096, 4096, PROT_NONE)) return 9;
  p[4095] = 1;
  p[4096] = 1; //~ protected-memory
  return 0;
}
