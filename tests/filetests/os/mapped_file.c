#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
  int fd = open("f", O_CREAT | O_RDWR, 0600);
  write(fd, "mapped text", 11);
  char *p = mmap(0, 11, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  printf("%.11s\n", p);
  p[0] = 'M';
  char text[12] = "";
  pread(fd, text, 11, 0);
  printf("%.6s %s\n", p, text);
  printf("%d %d\n", munmap(p, 11), mmap(0, 0, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED);
  return 0;
}
