#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
  int saved = dup(1);
  int fd = open("out", O_CREAT | O_WRONLY | O_TRUNC, 0644);
  dup2(fd, 1);
  close(fd);
  puts("to the file");
  fflush(stdout);
  dup2(saved, 1);
  puts("to the screen");
  char text[20] = "";
  fd = open("out", O_RDONLY);
  printf("%zd %s", read(fd, text, 19), text);
  printf("%d %d\n", fcntl(fd, F_GETFL) & O_ACCMODE, fcntl(saved, F_GETFD));
  return 0;
}
