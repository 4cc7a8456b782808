// Reads and changes all that it has been given: its descriptors, its working directory, the folders
// that a descriptor leads to, and what is above them. Whatever it can read of files goes to standard
// output. Ends with 0; what it must not reach is compared from outside.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char bytes[4096];

static void shows(int fd) {
  struct stat status;
  if (fstat(fd, &status) || !S_ISREG(status.st_mode)) return;
  ssize_t n = pread(fd, bytes, sizeof bytes, 0);
  if (n > 0) write(1, bytes, n);
}

static void reads(int folder, const char *path) {
  int fd = openat(folder, path, O_RDONLY | O_NONBLOCK);
  if (fd < 0) return;
  shows(fd);
  close(fd);
}

// Of a folder: the names that a sentinel has, and new ones.
static void visits(int folder) {
  static const char *const names[] = {"f", "d/f", "../f", "../beside", "../neighbour/f", "in/f", "beside"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    reads(folder, names[i]);
    int fd = openat(folder, names[i], O_WRONLY | O_NONBLOCK);
    if (fd < 0) continue;
    write(fd, "attacked", 8);
    close(fd);
  }
  close(openat(folder, "fresh", O_CREAT | O_WRONLY | O_NONBLOCK, 0666));
  mkdirat(folder, "folder", 0777);
  symlinkat("/", folder, "link");
  unlinkat(folder, "d/g", 0);
  futimens(folder, 0);
}

int main(void) {
  int here = open(".", O_RDONLY | O_DIRECTORY);
  visits(AT_FDCWD);
  for (int fd = 0; fd < 1100; fd++) {
    struct stat status;
    if (fd == here || fstat(fd, &status)) continue;
    if (S_ISDIR(status.st_mode)) visits(fd);
    shows(fd);
    if (fd == 1) continue;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    write(fd, "attacked", 8);
    if (S_ISREG(status.st_mode)) ftruncate(fd, 3);
    fchmod(fd, 0600);
    futimens(fd, 0);
  }
  return 0;
}
