// open, lseek and read: the first byte says where to go.
//@ sym: file=A:8
//@ trigger: file=A:"\x04....X.."
//@ benign: file=A:"\x04...X..."
#include <assert.h>
#include <fcntl.h>
#include <unistd.h>

int main(void) {
  int file = open("A", O_RDONLY);
  if (file < 0) return 1;
  unsigned char start, byte = 0;
  if (read(file, &start, 1) != 1) return 2;
  off_t at = lseek(file, start & 7, SEEK_CUR);
  if (read(file, &byte, 1) != 1) return 3;
  assert(!(start == 4 && byte == 'X' && at == 5)); //~ assertion-failure
  close(file);
  return (int)lseek(0, 0, SEEK_CUR) < -1;
}
