// A lock of one's own, made of C11 atomics, and a message that is published.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_flag lock = ATOMIC_FLAG_INIT;
static atomic_int ready, total;
static int guarded, message;

static void *work(void *argument) {
  while (!atomic_load(&ready)) continue;
  for (int i = 0; i < 20; i++) {
    while (atomic_flag_test_and_set(&lock)) continue;
    guarded += message;
    atomic_flag_clear(&lock);
    total += 2;
  }
  return argument;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, work, 0);
  message = 7;
  atomic_store(&ready, 1);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  printf("%d %d\n", guarded, total);
  return 0;
}
