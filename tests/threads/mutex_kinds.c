// Recursive, error-checking, robust and timed mutexes.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t recursive, checking, robust, timed = PTHREAD_MUTEX_INITIALIZER;
static long count;

static void make(pthread_mutex_t *mutex, int type, int is_robust) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  if (is_robust) pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(mutex, &attributes);
}

static void *nest(void *argument) {
  for (int i = 0; i < 20000; i++) {
    for (int depth = 0; depth < 3; depth++) pthread_mutex_lock(&recursive);
    count++;
    for (int depth = 0; depth < 3; depth++) pthread_mutex_unlock(&recursive);
  }
  return argument;
}

static void *die_with_lock(void *argument) {
  pthread_mutex_lock(&robust);
  return argument;
}

static void *wait_in_vain(void *argument) {
  struct timespec when;
  clock_gettime(CLOCK_REALTIME, &when);
  when.tv_nsec += 1000000;
  if (when.tv_nsec >= 1000000000) when.tv_sec++, when.tv_nsec -= 1000000000;
  *(int *)argument = pthread_mutex_timedlock(&timed, &when);
  return 0;
}

int main(void) {
  make(&recursive, PTHREAD_MUTEX_RECURSIVE, 0);
  make(&checking, PTHREAD_MUTEX_ERRORCHECK, 0);
  make(&robust, PTHREAD_MUTEX_NORMAL, 1);
  pthread_t threads[4], thread;
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, nest, 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  pthread_mutex_lock(&checking);
  int again = pthread_mutex_lock(&checking), free_again = 0;
  pthread_mutex_unlock(&checking);
  free_again = pthread_mutex_unlock(&checking);
  pthread_create(&thread, 0, die_with_lock, 0);
  pthread_join(thread, 0);
  int orphan = pthread_mutex_lock(&robust);
  int late = 0;
  pthread_mutex_lock(&timed);
  pthread_create(&thread, 0, wait_in_vain, &late);
  pthread_join(thread, 0);
  printf("%ld %d %d %d %d\n", count, again == EDEADLK, free_again == EPERM, orphan == EOWNERDEAD, late == ETIMEDOUT);
  return 0;
}
