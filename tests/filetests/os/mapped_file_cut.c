// A file that was made shorter takes its pages along, from a private mapping too.
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
  int f = open("x", O_RDWR | O_CREAT, 0644);
  if (ftruncate(f, 12288)) return 9;
  volatile char *p = mmap(0, 12288, PROT_READ | PROT_WRITE, MAP_PRIVATE, f, 0);
  p[8192] = 1;
  if (ftruncate(f, 4096)) return 9;
  printf("%d\n", p[0]);
  if (ftruncate(f, 8192)) return 9;
  printf("%d\n", p[4096]);
  return p[8192]; //~ beyond-mapped-file
}
