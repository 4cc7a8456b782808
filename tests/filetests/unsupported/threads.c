#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void *work(void *argument) {
  return argument;
}

int main(void) {
  pthread_t thread;
  int result = pthread_create(&thread, 0, work, 0); //~ unsupported
  printf("%s\n", strerror(result));
  return 0;
}
