// Detached threads, a main thread that ends first, and the last thread that ends the process.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 50 };
static sem_t done;
static pthread_t first;

static void *quick(void *argument) {
  sem_post(&done);
  return argument;
}

static void *last(void *argument) {
  pthread_join(first, 0);
  for (int i = 0; i < THREADS; i++) sem_wait(&done);
  puts("the end");
  return argument;
}

static void at_exit(void) { puts("handlers run"); }

int main(void) {
  pthread_t thread;
  pthread_attr_t detached;
  atexit(at_exit);
  sem_init(&done, 0, 0);
  first = pthread_self();
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  pthread_create(&thread, 0, last, 0);
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&thread, &detached, quick, 0)) return 2;
  pthread_exit(0);
}
