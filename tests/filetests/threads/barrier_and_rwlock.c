// Phases with a barrier, and a table that many read and one writes.
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 3 };
static pthread_barrier_t barrier;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int phase[THREADS], table[2];

static void *work(void *argument) {
  int own = (int)(long)argument, good = 0;
  for (int step = 0; step < 5; step++) {
    phase[own] = step;
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < THREADS; i++) good += phase[i] == step;
    pthread_barrier_wait(&barrier);
    pthread_rwlock_wrlock(&lock);
    table[0]++, table[1]--;
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_rdlock(&lock);
    good += table[0] + table[1] == 0;
    pthread_rwlock_unlock(&lock);
  }
  return (void *)(long)good;
}

int main(void) {
  pthread_t threads[THREADS];
  void *good;
  pthread_barrier_init(&barrier, 0, THREADS);
  for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, work, (void *)i);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], &good);
    printf("%ld\n", (long)good);
  }
  return table[0] != 15;
}
