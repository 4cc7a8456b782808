#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int counter;
static _Atomic long number = 5;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static void initialise(void) {
  puts("once");
  pthread_key_create(&key, 0);
}

int main(void) {
  atomic_fetch_add(&counter, 3);
  number *= 2;
  long expected = 10;
  int swapped = atomic_compare_exchange_strong(&number, &expected, 7);
  printf("%d %d %ld\n", counter, swapped, (long)number);
  unsigned char flag = 0;
  printf("%d %d\n", __sync_lock_test_and_set(&flag, 1), __sync_fetch_and_or(&flag, 6));
  pthread_mutex_lock(&mutex);
  printf("%d\n", pthread_mutex_trylock(&mutex) != 0);
  pthread_mutex_unlock(&mutex);
  pthread_once(&once, initialise);
  pthread_once(&once, initialise);
  pthread_setspecific(key, &counter);
  printf("%d\n", pthread_getspecific(key) == &counter);
  return 0;
}
