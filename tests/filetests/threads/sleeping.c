// What sleeps longer comes later; a wait with a limit ends by itself.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void *after(void *argument) {
  long tenths = (long)argument;
  usleep(tenths * 100000);
  printf("after %ld\n", tenths);
  return 0;
}

int main(void) {
  pthread_t threads[3];
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t never = PTHREAD_COND_INITIALIZER;
  struct timespec limit;
  for (long i = 0; i < 3; i++) pthread_create(&threads[i], 0, after, (void *)(3 - i));
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec++;
  pthread_mutex_lock(&lock);
  int result = pthread_cond_timedwait(&never, &lock, &limit);
  pthread_mutex_unlock(&lock);
  printf("%s\n", strerror(result));
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  return result != ETIMEDOUT;
}
