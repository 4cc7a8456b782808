// A child that needs its parent to go on meanwhile.
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  int ends[2];
  char byte;
  pipe(ends);
  if (fork() == 0) _exit(read(ends[0], &byte, 1) != 1); //~ unsupported
  write(ends[1], "x", 1);
  int status;
  wait(&status);
  printf("%d\n", WEXITSTATUS(status));
  return 0;
}
