#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void handler(int signal) {
  write(1, "alarm\n", 6);
}

int main(void) {
  signal(SIGALRM, handler);
  alarm(1);
  int result = pause();
  printf("%d %d\n", result, errno == EINTR);
  return 0;
}
