// Each has one lock and waits for the other.
#include <pthread.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_barrier_t barrier;

static void *take(void *argument) {
  long own = (long)argument;
  pthread_mutex_lock(&locks[own]);
  pthread_barrier_wait(&barrier);
  pthread_mutex_lock(&locks[1 - own]); //~ deadlock
  return 0;
}

int main(void) {
  pthread_t threads[2];
  pthread_barrier_init(&barrier, 0, 2);
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], 0, take, (void *)i);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return 0;
}
