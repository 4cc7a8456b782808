// Something that is done once, and values with destructors that each thread has.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int made, destroyed;

static void destroy(void *value) {
  pthread_mutex_lock(&lock);
  destroyed += *(int *)value;
  pthread_mutex_unlock(&lock);
  free(value);
}

static void make(void) {
  made++;
  pthread_key_create(&key, destroy);
}

static void *work(void *argument) {
  pthread_once(&once, make);
  int *value = malloc(sizeof *value);
  *value = *(int *)argument;
  pthread_setspecific(key, value);
  return pthread_getspecific(key) == value ? argument : 0;
}

int main(void) {
  int numbers[] = {1, 10, 100};
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, work, &numbers[i]);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  printf("%d %d\n", made, destroyed);
  return 0;
}
