// What a parent hears of its children.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t heard, told;

static void on_child(int number) { heard += number == SIGCHLD; }
static void on_user(int number) { told += number == SIGUSR1; }

int main(void) {
  struct sigaction action = {.sa_handler = on_child};
  sigaction(SIGCHLD, &action, NULL);
  action.sa_handler = on_user;
  sigaction(SIGUSR1, &action, NULL);
  sigset_t blocked, old;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGCHLD);
  sigaddset(&blocked, SIGUSR1);
  sigprocmask(SIG_BLOCK, &blocked, &old);

  pid_t child = fork();
  if (child == 0) {
    alarm(5);
    signal(SIGTERM, SIG_DFL);
    raise(SIGTERM);
    _exit(1);
  }
  while (!heard) sigsuspend(&old);
  siginfo_t information;
  memset(&information, 0, sizeof information);
  int result = waitid(P_PID, child, &information, WEXITED | WNOWAIT);
  printf("%d %d %d %d\n", result, information.si_pid == child, information.si_code == CLD_KILLED,
         information.si_status);
  int status;
  printf("%d %d\n", waitpid(child, &status, WNOHANG) == child, WTERMSIG(status));
  printf("%d %d\n", kill(child, 0), errno == ESRCH);

  // A child tells its parent something; a pending signal is not inherited.
  raise(SIGUSR1);
  child = fork();
  if (child == 0) {
    sigset_t pending;
    sigpending(&pending);
    int mine = sigismember(&pending, SIGUSR1);
    sigprocmask(SIG_SETMASK, &old, NULL);
    kill(getppid(), SIGUSR1);
    _exit(mine + told);
  }
  waitpid(child, &status, 0);
  sigprocmask(SIG_SETMASK, &old, NULL);
  printf("child %d, told %d\n", WEXITSTATUS(status), told);

  // Children of one who ignores them leave nothing.
  signal(SIGCHLD, SIG_IGN);
  if (fork() == 0) _exit(7);
  printf("%d %d\n", wait(&status), errno == ECHILD);
  return 0;
}
