// Behind the page in which a file ends there is nothing.
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
  int f = open("x", O_RDWR | O_CREAT, 0644);
  if (write(f, "q", 1) != 1) return 9;
  volatile char *p = mmap(0, 8192, PROT_READ, MAP_SHARED, f, 0);
  printf("%d %d\n", p[0], p[4095]);
  return p[4096]; //~ beyond-mapped-file
}
