//@ exit: 7
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static void handler(int signal) {
  exit(7);
}

int main(void) {
  signal(SIGABRT, handler);
  abort();
}
