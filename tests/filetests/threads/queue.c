// A queue of four places between a producer and two consumers, with condition variables.
#include <pthread.h>
#include <stdio.h>

enum { PLACES = 4, ITEMS = 50 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int queue[PLACES], count, first;
static long sum;

static void *produce(void *argument) {
  for (int i = 1; i <= ITEMS + 2; i++) {
    pthread_mutex_lock(&lock);
    while (count == PLACES) pthread_cond_wait(&emptied, &lock);
    queue[(first + count++) % PLACES] = i <= ITEMS ? i : 0;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
  }
  return argument;
}

static void *consume(void *argument) {
  for (;;) {
    pthread_mutex_lock(&lock);
    while (!count) pthread_cond_wait(&filled, &lock);
    int item = queue[first];
    first = (first + 1) % PLACES;
    count--;
    sum += item;
    pthread_cond_broadcast(&emptied);
    pthread_mutex_unlock(&lock);
    if (!item) return argument;
  }
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], 0, consume, 0);
  pthread_create(&threads[1], 0, consume, 0);
  pthread_create(&threads[2], 0, produce, 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  printf("%ld\n", sum);
  return 0;
}
