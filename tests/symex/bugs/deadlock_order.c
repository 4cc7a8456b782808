// Two locks, taken in an order that the input says; the two threads meet in between.
//@ trigger: order=u8:7
//@ benign: order=u8:8
#include <klee/klee.h>
#include <pthread.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_barrier_t barrier;
static int crossed;

static void *take(void *argument) {
  long own = (long)argument;
  long first = crossed ? own : 0;
  if (crossed) pthread_mutex_lock(&locks[first]);
  pthread_barrier_wait(&barrier);
  if (!crossed) pthread_mutex_lock(&locks[first]);
  pthread_mutex_lock(&locks[1 - first]); //~ deadlock
  pthread_mutex_unlock(&locks[1 - first]);
  pthread_mutex_unlock(&locks[first]);
  return 0;
}

int main(void) {
  pthread_t threads[2];
  unsigned char order;
  klee_make_symbolic(&order, 1, "order");
  if (order == 7) crossed = 1;
  pthread_barrier_init(&barrier, 0, 2);
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], 0, take, (void *)i);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return 0;
}
