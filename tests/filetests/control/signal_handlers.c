#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t seen;

static void handler(int signal) {
  seen = seen * 100 + signal;
}

static void with_info(int signal, siginfo_t *info, void *context) {
  seen = seen * 100 + info->si_signo;
}

int main(void) {
  struct sigaction action = {.sa_sigaction = with_info, .sa_flags = SA_SIGINFO};
  signal(SIGUSR1, handler);
  sigaction(SIGUSR2, &action, 0);
  signal(SIGTERM, SIG_IGN);
  raise(SIGUSR1);
  kill(getpid(), SIGUSR2);
  raise(SIGTERM);
  printf("%d\n", seen);
  sigset_t set, old, pending;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, &old);
  seen = 0;
  raise(SIGUSR1);
  sigpending(&pending);
  printf("%d %d\n", seen, sigismember(&pending, SIGUSR1));
  sigprocmask(SIG_SETMASK, &old, 0);
  printf("%d\n", seen);
  return 0;
}
