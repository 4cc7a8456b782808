// A bounded queue between producers and consumers.
#include <pthread.h>
#include <stdio.h>

enum { EACH = 20000, SIZE = 7, SIDES = 3 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int queue[SIZE], first, used;
static long sums[SIDES];

static void *produce(void *argument) {
  for (int i = 1; i <= EACH; i++) {
    pthread_mutex_lock(&mutex);
    while (used == SIZE) pthread_cond_wait(&emptied, &mutex);
    queue[(first + used++) % SIZE] = i;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&mutex);
  }
  return argument;
}

static void *consume(void *argument) {
  for (int i = 1; i <= EACH; i++) {
    pthread_mutex_lock(&mutex);
    while (!used) pthread_cond_wait(&filled, &mutex);
    *(long *)argument += queue[first];
    first = (first + 1) % SIZE;
    used--;
    pthread_cond_broadcast(&emptied);
    pthread_mutex_unlock(&mutex);
  }
  return argument;
}

int main(void) {
  pthread_t makers[SIDES], takers[SIDES];
  for (int i = 0; i < SIDES; i++) {
    pthread_create(&makers[i], 0, produce, 0);
    pthread_create(&takers[i], 0, consume, &sums[i]);
  }
  long sum = 0;
  for (int i = 0; i < SIDES; i++) {
    pthread_join(makers[i], 0);
    pthread_join(takers[i], 0);
    sum += sums[i];
  }
  printf("%ld %d\n", sum, used);
  return sum != SIDES * (EACH * (EACH + 1L) / 2);
}
