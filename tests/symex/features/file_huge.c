// A file that is left behind may be of any size, most of it a hole.
//@ benign: shift=u8:3
//@ benign: shift=u8:39
#include <fcntl.h>
#include <klee/klee.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
  unsigned char shift;
  klee_make_symbolic(&shift, sizeof shift, "shift");
  if (shift > 40) return 1;
  int file = open("hole", O_CREAT | O_WRONLY, 0600);
  if (file < 0 || ftruncate(file, shift > 38 ? 1LL << 40 : 5) != 0) return 2;
  printf("%d\n", shift > 38);
  return 0;
}
