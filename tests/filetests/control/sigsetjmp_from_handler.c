#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static sigjmp_buf buffer;

static void handler(int signal) {
  siglongjmp(buffer, signal);
}

int main(void) {
  signal(SIGUSR1, handler);
  for (volatile int i = 0; i < 3; i++) {
    int signal = sigsetjmp(buffer, 1);
    if (signal == 0)
      raise(SIGUSR1);
    printf("%d\n", signal == SIGUSR1);
  }
  return 0;
}
