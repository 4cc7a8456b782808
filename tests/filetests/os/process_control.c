// prctl and scheduling, as far as programs use them in passing.
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void show(const char *what, long result) {
  printf("%s: %ld %s\n", what, result, result == -1 ? strerror(errno) : "");
}

int main(void) {
  char name[16] = { 0 };
  show("name", prctl(PR_SET_NAME, "a name that is too long"));
  prctl(PR_GET_NAME, name);
  printf("%s\n", name);
  show("dumpable", prctl(PR_GET_DUMPABLE));
  show("dumpable", prctl(PR_SET_DUMPABLE, 0));
  show("dumpable", prctl(PR_GET_DUMPABLE));
  show("dumpable", prctl(PR_SET_DUMPABLE, 7));
  int signal = 3;
  show("death", prctl(PR_SET_PDEATHSIG, 99));
  show("death", prctl(PR_SET_PDEATHSIG, 15));
  show("death", prctl(PR_GET_PDEATHSIG, &signal));
  printf("%d\n", signal);
  show("slack", prctl(PR_SET_TIMERSLACK, 1234));
  show("slack", prctl(PR_GET_TIMERSLACK));
  show("privileges", prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  show("privileges", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
  show("privileges", prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0));
  show("operation", prctl(123456));
  show("policy", syscall(SYS_sched_getscheduler, 0));
  show("policy", syscall(SYS_sched_getscheduler, -5));
  show("most", syscall(SYS_sched_get_priority_max, 1));
  show("least", syscall(SYS_sched_get_priority_min, 0));
  show("none", syscall(SYS_sched_get_priority_min, 77));
  show("yield", sched_yield());
  return 0;
}
