//@ sym: stdin=1
//@ trigger: stdin="\x01"
//@ benign: stdin="\x04"
// A mapping is longer than its file, and the input says which page is read.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
  unsigned char b;
  if (read(0, &b, 1) != 1) return 9;
  int f = open("x", O_RDWR | O_CREAT, 0644);
  if (write(f, "q", 1) != 1) return 9;
  volatile char *p = mmap(0, 16384, PROT_READ, MAP_SHARED, f, 0);
  return p[(b & 3) * 4096] == 'q'; //~ beyond-mapped-file
}
