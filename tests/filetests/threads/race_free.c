// One thread frees what another may still read.
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static void *look(void *argument) { return (void *)(long)*(char *)argument; }

int main(void) {
  pthread_t thread;
  char *text = calloc(1, 8);
  pthread_create(&thread, 0, look, text);
  sched_yield();
  free(text); //~ unsupported
  return pthread_join(thread, 0);
}
