//@ engine: no, it forks beside busy threads
// Threads and processes: fork beside busy threads, signals for one thread, a change of all threads at once.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int stop;
static sem_t ready, got;
static pthread_t target;
static int wrong_thread;

static void *allocate(void *argument) {
  while (!stop) free(malloc(100));
  return argument;
}

static void handle(int signal) {
  (void)signal;
  if (!pthread_equal(pthread_self(), target)) wrong_thread++;
  sem_post(&got);
}

static void *listen(void *argument) {
  sem_post(&ready);
  while (!stop) usleep(100);
  return argument;
}

int main(void) {
  pthread_t busy[2];
  int children = 0, changes = 0, signals = 0;
  sem_init(&ready, 0, 0);
  sem_init(&got, 0, 0);
  signal(SIGUSR1, handle);
  for (int i = 0; i < 2; i++) pthread_create(&busy[i], 0, allocate, 0);
  pthread_create(&target, 0, listen, 0);
  sem_wait(&ready);
  for (int i = 0; i < 20; i++) {
    int status;
    pid_t child = fork();
    if (child == 0) {
      // The allocator of the child is whole, whoever held its lock in the parent.
      free(malloc(1000));
      _exit(7);
    }
    waitpid(child, &status, 0);
    children += WIFEXITED(status) && WEXITSTATUS(status) == 7;
    changes += setgid(getgid()) == 0;
    pthread_kill(target, SIGUSR1);
    while (sem_wait(&got)) continue;
    signals++;
  }
  stop = 1;
  pthread_join(target, 0);
  for (int i = 0; i < 2; i++) pthread_join(busy[i], 0);
  printf("%d children, %d changes, %d signals, %d wrong\n", children, changes, signals, wrong_thread);
  return wrong_thread;
}
