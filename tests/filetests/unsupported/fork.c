// Defined: the call fails as on a machine without room for another process, or ends the path.
//@ native: different the engine has one process
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  pid_t pid = fork();
  printf("%d %s\n", pid, strerror(errno));
  return 0;
}
