// A flag that is no atomic one.
#include <pthread.h>
#include <sched.h>

static int done;

static void *work(void *argument) {
  done = 1; //~ unsupported
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  while (!done) sched_yield();
  return pthread_join(thread, 0);
}
