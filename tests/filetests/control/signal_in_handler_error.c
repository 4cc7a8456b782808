// The stack of the report shows that a handler was running.
#include <signal.h>

static int *nothing;

static void handler(int signal) {
  *nothing = signal; //~ null-dereference
}

int main(void) {
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  return 0;
}
