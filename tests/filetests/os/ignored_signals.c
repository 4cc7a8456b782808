// A signal that was ignored from the start is ignored.
#include <signal.h>
#include <stdio.h>
int main(void) {
  struct sigaction old;
  sigaction(SIGUSR1, 0, &old);
  printf("%d\n", old.sa_handler == SIG_IGN);
  signal(SIGUSR1, SIG_IGN);
  raise(SIGUSR1);
  puts("alive");
  return 0;
}
