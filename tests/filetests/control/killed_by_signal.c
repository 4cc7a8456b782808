//@ exit: 143
#include <signal.h>
#include <stdio.h>

int main(void) {
  puts("before");
  fflush(stdout);
  raise(SIGTERM);
  puts("after");
  return 0;
}
