#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int compare(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

int main(void) {
  mkdir("d", 0755);
  mkdir("d/sub", 0700);
  fclose(fopen("d/file", "w"));
  symlink("file", "d/link");
  struct dirent **names;
  int n = scandir("d", &names, 0, compare);
  for (int i = 0; i < n; i++)
    printf("%s %d\n", names[i]->d_name, names[i]->d_type);
  char cwd[4096], *base;
  chdir("d/sub");
  base = strrchr(getcwd(cwd, sizeof cwd), '/');
  printf("%s\n", base);
  chdir("..");
  char target[8] = "";
  printf("%zd %s\n", readlink("link", target, 7), target);
  printf("%d", rmdir("../d"));
  printf(" %d\n", errno == ENOTEMPTY);
  printf("%d\n", rmdir("sub"));
  return 0;
}
