//@ cut: signal to another thread
// Threads that wait are cancelled where they wait, and their clean-up runs.
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int ends[2], cleaned;
static sem_t ready, never;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void clean(void *mutex_or_null) {
  if (mutex_or_null) pthread_mutex_unlock(mutex_or_null);
  cleaned++;
}

static void *in_read(void *argument) {
  char byte;
  pthread_cleanup_push(clean, 0);
  sem_post(&ready);
  read(ends[0], &byte, 1);
  pthread_cleanup_pop(0);
  return argument;
}

static void *in_semaphore(void *argument) {
  pthread_cleanup_push(clean, 0);
  sem_post(&ready);
  sem_wait(&never);
  pthread_cleanup_pop(0);
  return argument;
}

static void *in_condition(void *argument) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(clean, &mutex);
  sem_post(&ready);
  for (;;) pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(0);
  return argument;
}

static void *in_sleep(void *argument) {
  pthread_cleanup_push(clean, 0);
  sem_post(&ready);
  nanosleep(&(struct timespec){1000, 0}, 0);
  pthread_cleanup_pop(0);
  return argument;
}

static void *in_poll(void *argument) {
  pthread_cleanup_push(clean, 0);
  sem_post(&ready);
  poll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1, -1);
  pthread_cleanup_pop(0);
  return argument;
}

int main(void) {
  void *(*const waits[])(void *) = {in_read, in_semaphore, in_condition, in_sleep, in_poll};
  enum { KINDS = sizeof waits / sizeof *waits };
  int cancelled = 0;
  sem_init(&ready, 0, 0);
  sem_init(&never, 0, 0);
  if (pipe(ends)) return 2;
  for (int round = 0; round < 20; round++) {
    for (int i = 0; i < KINDS; i++) {
      pthread_t thread;
      void *result;
      pthread_create(&thread, 0, waits[i], 0);
      sem_wait(&ready);
      if (round % 2) nanosleep(&(struct timespec){0, 200000}, 0);
      pthread_cancel(thread);
      pthread_join(thread, &result);
      cancelled += result == PTHREAD_CANCELED;
    }
  }
  // The lock of the condition was given back each time.
  printf("%d cancelled, %d cleaned, %d\n", cancelled, cleaned, pthread_mutex_trylock(&mutex));
  return cancelled != 20 * KINDS || cleaned != 20 * KINDS;
}
