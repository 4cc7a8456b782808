// Has block counters as `umbra cc` makes them, by hand: 0 always, 1 in a child, 2 at exit, 3 never,
// 4 before it is stopped from outside.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((section("umbra_counters"), used)) volatile unsigned char counters[5] = {0};

static void at_exit(void) { counters[2] = 1; }

int main(int argc, char **argv) {
  counters[0] = 1;
  const char *what = argc > 1 ? argv[1] : "";
  atexit(at_exit);
  if (!strcmp(what, "fork")) {
    if (!fork()) {
      counters[1] = 1;
      _exit(0);
    }
    wait(0);
  }
  if (!strcmp(what, "exec")) execl("/proc/self/exe", "again", (char *)0);
  if (!strcmp(what, "abort")) abort();
  if (!strcmp(what, "kill")) kill(getpid(), SIGKILL);
  if (!strcmp(what, "stop")) {
    if (!fork()) {
      usleep(20000);
      kill(getppid(), SIGCONT);
      _exit(0);
    }
    kill(getpid(), SIGSTOP);
  }
  if (!strcmp(what, "hang")) {
    counters[4] = 1;
    for (;;) pause();
  }
  if (!strcmp(what, "never")) counters[3] = 1;
  return 0;
}
