#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int ticks;

static void handler(int signal) {
  ticks++;
}

int main(void) {
  sigset_t set, old;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, &old);
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  sigsuspend(&old);
  printf("%d\n", ticks);
  int signal_number;
  raise(SIGUSR1);
  sigwait(&set, &signal_number);
  printf("%d %d\n", ticks, signal_number == SIGUSR1);
  struct timespec short_time = {0, 1000000};
  printf("%d\n", sigtimedwait(&set, 0, &short_time));
  struct itimerval timer = {{0, 10000}, {0, 10000}};
  signal(SIGALRM, handler);
  setitimer(ITIMER_REAL, &timer, 0);
  while (ticks < 4)
    pause();
  printf("%d\n", ticks);
  return 0;
}
