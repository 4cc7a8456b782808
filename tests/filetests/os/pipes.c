#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/select.h>
#include <unistd.h>

int main(void) {
  int fds[2];
  char buffer[10] = "";
  signal(SIGPIPE, SIG_IGN);
  pipe(fds);
  struct pollfd p = {fds[0], POLLIN, 0};
  printf("%d\n", poll(&p, 1, 0));
  write(fds[1], "abc", 3);
  printf("%d %d\n", poll(&p, 1, 0), p.revents);
  fd_set set;
  FD_ZERO(&set);
  FD_SET(fds[0], &set);
  struct timeval zero = {0, 0};
  printf("%d %d\n", select(fds[0] + 1, &set, 0, 0, &zero), FD_ISSET(fds[0], &set) != 0);
  printf("%zd %s\n", read(fds[0], buffer, 10), buffer);
  close(fds[1]);
  printf("%zd\n", read(fds[0], buffer, 10));
  pipe(fds);
  close(fds[0]);
  printf("%zd %d\n", write(fds[1], "x", 1), errno == EPIPE);
  return 0;
}
