// Whether a file exists, what it is, its mode and its time can all be input: it is missing, a folder, or a
// file that is old or new and can be run or not.
//@ flags: --sym file:A=4+exists+kind+metadata
//@ paths: 6
//@ benign:
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

int main(void) {
  struct stat status;
  if (lstat("A", &status) != 0) return errno == ENOENT ? 1 : 2;
  if (S_ISDIR(status.st_mode)) return 3;
  if (!S_ISREG(status.st_mode)) return 4;
  if (status.st_size != 4) return 5;
  printf("%s\n", status.st_mtime > 1000000000 ? "new" : "old");
  return status.st_mode & S_IXUSR ? 6 : 7;
}
