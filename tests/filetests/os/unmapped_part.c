// What is left of a mapping works, what was unmapped does not.
#include <stdio.h>
#include <sys/mman.h>

int main(void) {
  char *p = mmap(0, 4 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  p[0] = 'a';
  p[3 * 4096] = 'b';
  if (munmap(p + 4096, 2 * 4096)) return 9;
  printf("%c%c\n", p[0], p[3 * 4096]);
  p[2 * 4096 - 1] = 'c'; //~ use-after-free
  return 0;
}
