// A counter behind a mutex, and the allocator beside it.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long count;

static void *add(void *argument) {
  for (int i = 0; i < 100000; i++) {
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    free(malloc(16 + i % 64));
  }
  return argument;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, add, 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  printf("%ld\n", count);
  return count != 400000;
}
