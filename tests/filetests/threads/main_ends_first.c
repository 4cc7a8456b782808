//@ exit: 3
// The process ends with its last thread; the exit status is that of `exit`.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_t first;

static void *work(void *argument) {
  pthread_join(first, 0);
  puts("the last one");
  exit(3);
}

int main(void) {
  pthread_t thread;
  first = pthread_self();
  pthread_create(&thread, 0, work, 0);
  pthread_detach(thread);
  pthread_exit(0);
}
