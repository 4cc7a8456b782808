// pthread_once, many times over: one thread runs it, the others wait for its end.
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 300 };
static pthread_once_t onces[ROUNDS];
static int runs[ROUNDS], round_now, early;
static pthread_barrier_t barrier;

static void initialise(void) {
  for (volatile int i = 0; i < 100; i++) continue;
  runs[round_now]++;
}

static void *work(void *argument) {
  for (int i = 0; i < ROUNDS; i++) {
    pthread_barrier_wait(&barrier);
    pthread_once(&onces[i], initialise);
    if (runs[i] != 1) __atomic_fetch_add(&early, 1, __ATOMIC_RELAXED);
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) round_now++;
  }
  return argument;
}

int main(void) {
  pthread_t threads[THREADS];
  pthread_barrier_init(&barrier, 0, THREADS);
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  int wrong = 0;
  for (int i = 0; i < ROUNDS; i++) wrong += runs[i] != 1;
  printf("%d rounds, %d wrong, %d early\n", round_now, wrong, early);
  return wrong || early;
}
