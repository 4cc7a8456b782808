#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  pid_t pid = fork(); //~ unsupported
  printf("%d %s\n", pid, strerror(errno));
  return 0;
}
