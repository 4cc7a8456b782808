// What mmap, munmap, mprotect, mremap, madvise and msync refuse, and what of their effects shows.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void show(const char *what, long result) {
  printf("%s: %s\n", what, result == -1 ? strerror(errno) : "done");
}

#define MAP(length, protection, flags, fd, offset) \
  show(#length " " #protection " " #flags " " #fd " " #offset, (long)mmap(0, length, protection, flags, fd, offset))

int main(void) {
  int rw = open("x", O_RDWR | O_CREAT, 0644);
  int ro = open("x", O_RDONLY), wo = open("x", O_WRONLY), dir = open(".", O_RDONLY), path = open("x", O_PATH);
  int ends[2];
  pipe(ends);
  write(rw, "text", 4);
  int anonymous = MAP_PRIVATE | MAP_ANONYMOUS;
  MAP(0, PROT_READ, anonymous, -1, 0);
  MAP(4096, PROT_READ, MAP_ANONYMOUS, -1, 0);
  MAP(4096, PROT_READ, anonymous, -1, 100);
  MAP(4096, PROT_READ, MAP_PRIVATE, rw, 100);
  MAP(4096, PROT_READ, MAP_PRIVATE, rw, 4096);
  MAP(4096, PROT_READ, MAP_PRIVATE, 99, 0);
  MAP(4096, PROT_READ, MAP_PRIVATE, path, 0);
  MAP(4096, PROT_READ, MAP_PRIVATE, wo, 0);
  MAP(4096, PROT_READ, MAP_PRIVATE, dir, 0);
  MAP(4096, PROT_READ, MAP_PRIVATE, ends[0], 0);
  MAP(4096, PROT_READ, MAP_SHARED, ro, 0);
  MAP(4096, PROT_READ | PROT_WRITE, MAP_SHARED, ro, 0);
  MAP(4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, ro, 0);
  MAP(4096, PROT_READ, 0, rw, 0);
  MAP(4096, PROT_READ, MAP_SHARED_VALIDATE | MAP_ANONYMOUS, -1, 0);
  MAP(1ul << 62, PROT_READ, anonymous, -1, 0);

  char *p = mmap(0, 4 * 4096, PROT_READ | PROT_WRITE, anonymous, -1, 0);
  memset(p, 'p', 4 * 4096);
  show("munmap unaligned", munmap(p + 1, 4096));
  show("munmap nothing", munmap(p, 0));
  show("mprotect unaligned", mprotect(p + 1, 4096, PROT_READ));
  show("mprotect no bytes", mprotect(p, 0, PROT_READ));
  show("mprotect unknown bit", mprotect(p, 4096, 64));
  show("munmap a page", munmap(p + 4096, 4096));
  show("munmap it again", munmap(p + 4096, 4096));
  show("mprotect over a hole", mprotect(p, 4 * 4096, PROT_READ));
  show("mprotect behind it", mprotect(p + 2 * 4096, 2 * 4096, PROT_READ | PROT_WRITE));
  p[2 * 4096] = 'q';
  show("msync over a hole", msync(p, 4 * 4096, MS_SYNC));
  show("msync two ways", msync(p, 4096, MS_SYNC | MS_ASYNC));
  show("msync", msync(p, 4096, MS_ASYNC));
  show("read into what is read-only", read(rw, p, 4));
  lseek(rw, 0, SEEK_SET);
  show("read into it", read(rw, p, 4));

  show("fixed in the hole", (long)mmap(p + 4096, 4096, PROT_READ | PROT_WRITE, anonymous | MAP_FIXED, -1, 0));
  printf("%d\n", p[4096]);
  show("fixed over pages", (long)mmap(p + 2 * 4096, 4096, PROT_READ, MAP_PRIVATE | MAP_FIXED, rw, 0));
  printf("%.4s %d %c\n", p + 2 * 4096, p[2 * 4096 + 4], p[3 * 4096]);
  show("fixed unaligned", (long)mmap(p + 7, 4096, PROT_READ, anonymous | MAP_FIXED, -1, 0));
  show("no replacement", (long)mmap(p, 4096, PROT_READ, anonymous | MAP_FIXED_NOREPLACE, -1, 0));

  char *m = mmap(0, 2 * 4096, PROT_READ | PROT_WRITE, anonymous, -1, 0);
  memset(m, 'm', 2 * 4096);
  show("mremap unaligned", (long)mremap(m + 1, 4096, 8192, MREMAP_MAYMOVE));
  show("mremap to nothing", (long)mremap(m, 4096, 0, MREMAP_MAYMOVE));
  show("mremap unknown flag", (long)mremap(m, 4096, 8192, 64));
  show("mremap of nothing", (long)mremap((char *)1048576, 4096, 8192, MREMAP_MAYMOVE));
  show("mremap too much", (long)mremap(m, 16 * 4096, 32 * 4096, MREMAP_MAYMOVE));
  m = mremap(m, 2 * 4096, 5 * 4096, MREMAP_MAYMOVE);
  printf("%c%c%d\n", m[0], m[8191], m[8192]);
  m = mremap(m, 5 * 4096, 4096, 0);
  printf("%c\n", m[4095]);

  show("madvise unaligned", madvise(m + 1, 4096, MADV_NORMAL));
  show("madvise unknown", madvise(m, 4096, 77));
  show("madvise", madvise(m, 4096, MADV_SEQUENTIAL));
  show("madvise away", madvise(m, 4096, MADV_DONTNEED));
  printf("%d\n", m[0]);
  return 0;
}
