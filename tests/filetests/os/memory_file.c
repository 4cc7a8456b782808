// memfd_create: a file that no directory has.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void show(const char *what, long result) {
  printf("%s: %ld %s\n", what, result, result == -1 ? strerror(errno) : "");
}

int main(void) {
  int f = memfd_create("name", MFD_CLOEXEC);
  struct stat s;
  fstat(f, &s);
  printf("%d %o %d %o\n", f, s.st_mode, (int)s.st_nlink, fcntl(f, F_GETFL) & 3);
  show("write", write(f, "hello", 5));
  show("truncate", ftruncate(f, 8192));
  char *p = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
  p[5000] = 'x';
  char c[6] = { 0 };
  show("pread", pread(f, c, 1, 5000));
  printf("%c %.5s\n", c[0], p);
  char link[64] = { 0 };
  readlink("/proc/self/fd/3", link, 63);
  printf("%s\n", link);
  show("seals", fcntl(f, F_GET_SEALS));
  show("add seals", fcntl(f, F_ADD_SEALS, F_SEAL_SHRINK));
  show("flags", memfd_create("name", 0x1000));
  char name[300];
  memset(name, 'n', 299);
  name[299] = 0;
  show("long name", memfd_create(name, 0));
  name[249] = 0;
  show("name", memfd_create(name, 0));
  close(f);
  printf("%.5s\n", p);
  return 0;
}
