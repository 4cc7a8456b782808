//@ exit: 44
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void leave(void) {
  puts("leaving");
  fflush(stdout);
  _exit(300);
}

int main(void) {
  atexit(leave);
  printf("no newline");
  exit(1);
}
