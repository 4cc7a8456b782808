// Which pages are mapped: what libsigsegv asks about the stack before main does anything.
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

int main(void) {
  unsigned char in[4];
  char here;
  char *page = (char *)((uintptr_t)&here & ~(uintptr_t)4095);
  printf("stack %d\n", mincore(page, 4096, in));
  char *map = mmap(0, 3 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *(volatile char *)map;
  printf("mapping %d %d\n", mincore(map, 2 * 4096, in), in[0] & 1);
  munmap(map + 4096, 4096);
  int gone = mincore(map, 2 * 4096, in) == -1 && errno == ENOMEM;
  int odd = mincore(map + 1, 4096, in) == -1 && errno == EINVAL;
  printf("gone %d, odd %d\n", gone, odd);
  return 0;
}
