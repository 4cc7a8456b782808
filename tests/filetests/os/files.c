#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
  FILE *f = fopen("data", "w+");
  for (int i = 0; i < 5; i++)
    fprintf(f, "line %d\n", i);
  rewind(f);
  char line[32];
  while (fgets(line, sizeof line, f))
    fputs(line, stdout);
  fseek(f, -7, SEEK_END);
  fputs("LINE", f);
  printf("%ld\n", ftell(f));
  fclose(f);
  int fd = open("data", O_RDWR | O_APPEND);
  write(fd, "end\n", 4);
  printf("%ld\n", (long)lseek(fd, 0, SEEK_CUR));
  lseek(fd, 28, SEEK_SET);
  printf("%zd %.6s\n", read(fd, line, 32), line);
  ftruncate(fd, 3);
  struct stat st;
  fstat(fd, &st);
  printf("%ld %d %o\n", (long)st.st_size, S_ISREG(st.st_mode), st.st_mode & 0600);
  close(fd);
  printf("%d %s\n", open("none", O_RDONLY), strerror(errno));
  rename("data", "other");
  printf("%d %d %d\n", access("data", F_OK), unlink("other"), close(99));
  return 0;
}
