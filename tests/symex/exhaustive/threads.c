// Two threads take numbers from a queue, add them up behind a lock, and complain about large ones.
//@ domain: input=1
//@ process: fresh, threads of one run are not to meet those of another
//@ versions: no, where two versions run together there is one thread
#include <klee/klee.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char input, numbers[2];
static int next, sum, complaints;

static void *work(void *argument) {
  pthread_mutex_lock(&lock);
  int own = next++;
  if (numbers[own] > 100) complaints++;
  sum += numbers[own] / 16;
  pthread_mutex_unlock(&lock);
  return argument;
}

int main(void) {
  pthread_t threads[2];
  klee_make_symbolic(&input, sizeof input, "input");
  numbers[0] = input;
  numbers[1] = input / 2 + 30;
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  if (sum > 20) printf("much\n");
  return complaints;
}
