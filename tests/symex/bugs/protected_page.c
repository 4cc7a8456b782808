//@ sym: stdin=1
//@ trigger: stdin="\x01"
//@ benign: stdin="\x03"
// Whether a page may be written is what the input says.
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
  unsigned char b;
  if (read(0, &b, 1) != 1) return 9;
  char *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(p, 4096, b & 3);
  *(volatile char *)p = 1; //~ protected-memory
  return 0;
}
