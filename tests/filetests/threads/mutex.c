// A counter behind a lock, and what threads keep for themselves.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static __thread int own;

static void *count(void *argument) {
  for (int i = 0; i < 100; i++) {
    pthread_mutex_lock(&lock);
    counter++;
    own++;
    pthread_mutex_unlock(&lock);
  }
  return own == 100 ? argument : 0;
}

int main(void) {
  pthread_t threads[4];
  void *result;
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, count, &counter);
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], &result);
    if (result != &counter) return 1;
  }
  printf("%d %d\n", counter, own);
  return 0;
}
