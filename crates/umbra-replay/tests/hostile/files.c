// Attacks on files: `files OPERATION FOLDER` tries one operation on a folder that it must not reach.
// Ends with 0 if it was refused, 1 if it succeeded. One operation, once: a failed defence costs one
// file of the folder.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <utime.h>
#include <unistd.h>

static char file[8192], folder[8192], fresh[8192];

static int opened(int flags) {
  int fd = open(file, flags);
  if (fd < 0) return -1;
  close(fd);
  return 0;
}

static int written(int flags) {
  int fd = open(file, flags);
  if (fd < 0) return -1;
  return write(fd, "attacked", 8) == 8 ? 0 : -1;
}

// Through a descriptor that may be opened without any right.
static int by_path_descriptor(int again) {
  int fd = open(file, O_PATH);
  if (fd < 0) return -1;
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  if (again == -1) return chmod(path, 0);
  if (again == -2) return truncate(path, 0);
  int reopened = open(path, again);
  if (reopened < 0) return -1;
  return again == O_RDONLY ? 0 : write(reopened, "x", 1) == 1 ? 0 : -1;
}

static int mapped(void) {
  int fd = open(file, O_RDWR);
  if (fd < 0) return -1;
  char *at = mmap(0, 4, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) return -1;
  at[0] = '!';
  return 0;
}

static int bound(void) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0 || chdir(folder) || chdir("..")) return -1;
  strcpy(name.sun_path, "socket");
  return bind(fd, (struct sockaddr *)&name, sizeof name);
}

static int moved_over(void) {
  int fd = open("mine", O_CREAT | O_WRONLY, 0666);
  close(fd);
  return rename("mine", file);
}

static int copied_name(void) { return link(file, "stolen"); }

static int below(void) {
  if (chdir(folder)) return -1;
  return mkdir("below", 0777);
}

int main(int argc, char **argv) {
  if (argc != 3) return 99;
  const char *what = argv[1];
  snprintf(file, sizeof file, "%s/f", argv[2]);
  snprintf(folder, sizeof folder, "%s/d", argv[2]);
  snprintf(fresh, sizeof fresh, "%s/fresh", argv[2]);
  int result = -2;
#define ON(name, expression) if (!strcmp(what, name)) result = (expression)
  ON("read", opened(O_RDONLY));
  ON("overwrite", written(O_WRONLY));
  ON("append", written(O_WRONLY | O_APPEND));
  ON("open-truncate", opened(O_WRONLY | O_TRUNC));
  ON("truncate", truncate(file, 0));
  ON("map", mapped());
  ON("unlink", unlink(file));
  ON("rmdir", rmdir(folder));
  ON("rename-away", rename(file, "stolen"));
  ON("rename-over", moved_over());
  ON("rename-folder", rename(folder, "stolen"));
  ON("hard-link", copied_name());
  ON("chmod", chmod(file, 0));
  ON("chmod-folder", chmod(folder, 0));
  ON("chown", chown(file, getuid(), getgid()));
  ON("utime", utime(file, &(struct utimbuf){1, 1}));
  ON("xattr", setxattr(file, "user.attacked", "1", 1, 0));
  ON("create", open(fresh, O_CREAT | O_WRONLY, 0666));
  ON("mkdir", mkdir(fresh, 0777));
  ON("symlink", symlink("/", fresh));
  ON("mkfifo", mkfifo(fresh, 0666));
  ON("mkdir-below", below());
  ON("socket", bound());
  ON("path-read", by_path_descriptor(O_RDONLY));
  ON("path-write", by_path_descriptor(O_WRONLY));
  ON("path-chmod", by_path_descriptor(-1));
  ON("path-truncate", by_path_descriptor(-2));
  if (result == -2) return 99;
  if (result < 0) {
    printf("refused: %s\n", strerror(errno));
    return 0;
  }
  printf("succeeded\n");
  return 1;
}
