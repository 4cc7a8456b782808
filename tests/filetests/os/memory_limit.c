// RLIMIT_AS and RLIMIT_DATA hold for malloc and mmap; RLIMIT_NOFILE and RLIMIT_FSIZE for files.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static int map(size_t size) {
  void *p = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return errno;
  munmap(p, size);
  return 0;
}

int main(void) {
  struct rlimit space = { 64 << 20, RLIM_INFINITY };
  setrlimit(RLIMIT_AS, &space);
  void *p = malloc(100 << 20), *q = malloc(10 << 20);
  printf("%d %d %d %d\n", !p, !q, map(100 << 20), map(10 << 20));
  free(q);
  space.rlim_cur = RLIM_INFINITY;
  setrlimit(RLIMIT_AS, &space);
  p = malloc(100 << 20);
  printf("%d\n", !p);
  free(p);
  struct rlimit data = { 32 << 20, RLIM_INFINITY };
  setrlimit(RLIMIT_DATA, &data);
  p = malloc(64 << 20);
  printf("%d\n", !p);
  struct rlimit size = { 10, RLIM_INFINITY }, files = { 5, 4096 };
  setrlimit(RLIMIT_FSIZE, &size);
  signal(SIGXFSZ, SIG_IGN);
  int f = open("limited", O_RDWR | O_CREAT, 0644);
  printf("%ld\n", (long)write(f, "0123456789abcdef", 16));
  printf("%ld", (long)write(f, "x", 1));
  printf(" %s\n", strerror(errno));
  setrlimit(RLIMIT_NOFILE, &files);
  printf("%d", dup(0));
  printf(" %d", dup(0));
  printf(" %s\n", strerror(errno));
  return 0;
}
