//@ native: different the engine has no network
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

int main(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(80)};
  int fd = socket(AF_INET, SOCK_STREAM, 0); //~ unsupported
  printf("%d %s\n", fd, strerror(errno));
  if (fd >= 0)
    printf("%d\n", connect(fd, (struct sockaddr *)&address, sizeof address));
  return 0;
}
