// Shows what a process can see of its terminals.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

static void show(int fd) {
  struct winsize size = {0};
  struct termios settings = {0};
  struct stat status = {0};
  if (fstat(fd, &status)) {
    printf("%d: closed\n", fd);
    return;
  }
  if (!isatty(fd)) {
    printf("%d: no terminal\n", fd);
    return;
  }
  ioctl(fd, TIOCGWINSZ, &size);
  tcgetattr(fd, &settings);
  printf("%d: %s, %d rows, %d columns, settings %x %x %x %x,", fd,
         S_ISCHR(status.st_mode) ? "character device" : "other", size.ws_row, size.ws_col,
         settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag);
  for (int i = 0; i < 16; i++) printf(" %d", settings.c_cc[i]);
  printf("\n");
}

// Settings and size can be changed.
static void change(int fd) {
  struct winsize size = {.ws_row = 10, .ws_col = 20};
  struct termios settings;
  if (tcgetattr(fd, &settings)) return;
  settings.c_lflag &= ~ECHO;
  tcsetattr(fd, TCSANOW, &settings);
  ioctl(fd, TIOCSWINSZ, &size);
  show(fd);
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "flood")) {
    for (int i = 0; i < 5000; i++) printf("line %d\n", i);
    return 0;
  }
  for (int fd = 0; fd < 4; fd++) show(fd);
  char buffer[8];
  for (int i = 0; i < 3; i++) printf("read %zd\n", read(0, buffer, sizeof buffer));
  if (isatty(0)) printf("group %d, session %d\n", tcgetpgrp(0) == getpgrp(), tcgetsid(0) == getsid(0));
  int controlling = open("/dev/tty", O_RDWR);
  printf("/dev/tty: %s\n", controlling >= 0 && isatty(controlling) ? "a terminal" : "none");
  printf("returns: a\rb\r\nc\n\n");
  fflush(stdout);
  if (write(2, "error\n", 6) != 6) return 1;
  change(0);
  return 0;
}
