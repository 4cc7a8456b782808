//@ cut: signal to another thread
// Cancellation that is deferred, disabled, asynchronous, of oneself, and of a thread that has ended.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t ready, go;
static int ends[2], finished;
static volatile int forever = 1;

static void *deferred(void *argument) {
  sem_post(&ready);
  for (;;) pthread_testcancel();
  return argument;
}

static void *disabled(void *argument) {
  int old;
  char byte;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
  sem_post(&ready);
  sem_wait(&go);
  if (write(ends[1], "x", 1) == 1 && read(ends[0], &byte, 1) == 1) finished++;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
  pthread_testcancel();
  finished += 100;
  return argument;
}

static void *asynchronous(void *argument) {
  int old;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
  sem_post(&ready);
  while (forever) continue;
  return argument;
}

static void *itself(void *argument) {
  sem_post(&ready);
  pthread_cancel(pthread_self());
  pthread_testcancel();
  return argument;
}

static void *ended(void *argument) {
  sem_post(&ready);
  return argument;
}

int main(void) {
  void *(*const kinds[])(void *) = {deferred, disabled, asynchronous, itself, ended};
  int cancelled[5] = {0}, mark;
  sem_init(&ready, 0, 0);
  sem_init(&go, 0, 0);
  if (pipe(ends)) return 2;
  for (int round = 0; round < 20; round++) {
    for (int i = 0; i < 5; i++) {
      pthread_t thread;
      void *result;
      pthread_create(&thread, 0, kinds[i], &mark);
      sem_wait(&ready);
      if (i == 4) {
        pthread_join(thread, &result);
      } else {
        if (i != 3) pthread_cancel(thread);
        if (i == 1) sem_post(&go);
        pthread_join(thread, &result);
      }
      cancelled[i] += result == PTHREAD_CANCELED;
    }
  }
  for (int i = 0; i < 5; i++) printf("%d ", cancelled[i]);
  printf("%d\n", finished);
  return 0;
}
