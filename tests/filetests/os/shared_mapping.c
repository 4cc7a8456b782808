// Stores to a shared mapping, transfers to the file, other mappings and child processes see each other.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  int f = open("shared", O_RDWR | O_CREAT, 0644);
  write(f, "abcdefgh", 8);
  char *p = mmap(0, 8, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
  char *q = mmap(0, 4096, PROT_READ, MAP_SHARED, f, 0);
  char text[16] = { 0 };
  p[1] = 'B';
  pread(f, text, 8, 0);
  printf("%s %.8s\n", text, q);
  pwrite(f, "CD", 2, 2);
  printf("%.8s %.8s\n", p, q);
  printf("%d %d\n", p[8], p[100]);
  p[9] = 'z'; // behind the end: nobody gets it
  msync(p, 4096, MS_SYNC);
  struct stat s;
  fstat(f, &s);
  printf("%ld\n", (long)s.st_size);

  int *counter = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int *own = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *counter = *own = 1;
  pid_t child = fork();
  if (child == 0) {
    *counter += 41;
    *own += 41;
    p[0] = 'A';
    munmap(counter, 4096);
    _exit(0);
  }
  waitpid(child, 0, 0);
  pread(f, text, 8, 0);
  printf("%d %d %.8s %s\n", *counter, *own, q, text);

  memcpy(p, "12345678", 8);
  munmap(p, 8);
  pread(f, text, 8, 0);
  printf("%s %.8s\n", text, q);
  close(f);
  unlink("shared");
  printf("%.8s\n", q);
  return 0;
}
