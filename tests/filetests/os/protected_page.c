// A page that was made read-only can be read and not be written.
#include <stdio.h>
#include <sys/mman.h>

int main(void) {
  char *p = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  p[0] = 1;
  p[4096] = 2;
  if (mprotect(p, 4096, PROT_READ)) return 9;
  printf("%d\n", p[0]);
  p[4096] = 3;
  p[4095] = 4; //~ protected-memory
  return 0;
}
