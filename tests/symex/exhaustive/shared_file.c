//@ sym: stdin=1
// Stores to a shared mapping and writes to its file see each other.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
  unsigned char b;
  if (read(0, &b, 1) != 1) return 99;
  int f = open("x", O_RDWR | O_CREAT, 0644);
  if (write(f, "abcdefgh", 8) != 8) return 98;
  char *p = mmap(0, 8, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
  p[b & 7] = 'Z';
  char c;
  if (pread(f, &c, 1, 3) != 1) return 97;
  if (c == 'Z') return 1;
  if (pwrite(f, "Y", 1, b >> 5) != 1) return 96;
  if (p[2] == 'Y') return 2;
  p[4] = b;
  if (pread(f, &c, 1, 4) != 1) return 95;
  return c == 'q' ? 3 : 0;
}
