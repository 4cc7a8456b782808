// Arguments and results, one thread after the other and several at once.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static void *square(void *argument) {
  intptr_t number = (intptr_t)argument;
  return (void *)(number * number);
}

int main(void) {
  pthread_t threads[8];
  void *result;
  long sum = 0;
  for (intptr_t i = 0; i < 8; i++) pthread_create(&threads[i], 0, square, (void *)i);
  for (int i = 7; i >= 0; i--) {
    pthread_join(threads[i], &result);
    sum = 3 * sum + (intptr_t)result;
  }
  pthread_create(&threads[0], 0, square, (void *)9);
  pthread_join(threads[0], &result);
  printf("%ld %ld\n", sum, (long)(intptr_t)result);
  return 0;
}
