#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(void) {
  struct utsname name;
  struct rlimit limit;
  printf("%d %s\n", uname(&name), name.sysname);
  printf("%ld %d\n", sysconf(_SC_PAGESIZE), getrlimit(RLIMIT_NOFILE, &limit));
  printf("%d %d\n", getpid() > 0, getppid() >= 0);
  printf("%d %d %d\n", isatty(0), isatty(1), getuid() == geteuid());
  umask(027);
  fclose(fopen("f", "w"));
  struct stat st;
  stat("f", &st);
  printf("%o %o\n", st.st_mode & 0777, umask(0));
  char path[PATH_MAX];
  printf("%d\n", strcmp(strrchr(realpath("./../x/..", path) ? path : "/none", '/'), "/x"));
  return 0;
}
