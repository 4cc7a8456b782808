//@ flags: --schedule 11
// Whatever the order, the result is one.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int places[6], count;

static void *enter(void *argument) {
  pthread_mutex_lock(&lock);
  places[count++] = (int)(long)argument;
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t threads[6];
  int sum = 0;
  for (long i = 0; i < 6; i++) pthread_create(&threads[i], 0, enter, (void *)(i + 1));
  for (int i = 0; i < 6; i++) pthread_join(threads[i], 0);
  for (int i = 0; i < 6; i++) sum += places[i];
  printf("%d\n", sum);
  return 0;
}
