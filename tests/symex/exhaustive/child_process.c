// What a child decides is known to its parent, what it writes in its memory is not.
//@ domain: a=2
//@ versions: no, the end of a child process in one version alone is not modelled
#include <umbra.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  unsigned char a[2];
  umbra_symbolic(a, sizeof a, "a");
  int value = a[0] > 100 ? 1 : 2;
  int ends[2];
  if (pipe(ends)) return 9;
  pid_t child = fork();
  if (child == 0) {
    value = 7;
    if (a[1] % 4 == 3) value += a[0] == 65;
    unsigned char byte = a[1] ^ 0x20;
    write(ends[1], &byte, 1);
    _exit(value + (a[1] & 1));
  }
  int status;
  waitpid(child, &status, 0);
  unsigned char byte;
  read(ends[0], &byte, 1);
  printf("%d %d", value, WEXITSTATUS(status));
  if (byte == 'A') printf(" letter");
  printf("\n");
  return value;
}
