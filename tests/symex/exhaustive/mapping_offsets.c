//@ sym: stdin=1
// Offsets of a mapping must be those of pages.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
  unsigned char b;
  if (read(0, &b, 1) != 1) return 99;
  char z[8192];
  memset(z, 'q', sizeof z);
  z[4096] = 'r';
  int f = open("x", O_RDWR | O_CREAT, 0644);
  if (write(f, z, sizeof z) != sizeof z) return 98;
  char *p = mmap(0, 4096, PROT_READ, MAP_PRIVATE, f, (off_t)(b & 31) << 8);
  if (p == MAP_FAILED) return errno;
  return p[0] == 'r' ? 101 : p[0] == 'q' ? 102 : 103;
}
