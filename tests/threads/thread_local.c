// Thread-local variables, errno and keys are each thread's own; destructors of keys run.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 6, ROUNDS = 2000 };
static _Thread_local int own = 7;
static _Thread_local char block[300] = {1, 2, 3};
static pthread_key_t key;
static int destroyed, wrong;

static void destroy(void *value) {
  free(value);
  __atomic_fetch_add(&destroyed, 1, __ATOMIC_SEQ_CST);
}

static void *work(void *argument) {
  int number = *(int *)argument, bad = own != 7 || block[2] != 3 || block[299];
  int *mine = malloc(sizeof *mine);
  *mine = number;
  pthread_setspecific(key, mine);
  for (int i = 0; i < ROUNDS; i++) {
    own += number;
    errno = number;
    if (i % 100 == 0 && close(-1) == 0) bad++;
    if (errno != (i % 100 == 0 ? EBADF : number)) bad++;
    if (*(int *)pthread_getspecific(key) != number) bad++;
  }
  if (own != 7 + number * ROUNDS) bad++;
  __atomic_fetch_add(&wrong, bad, __ATOMIC_SEQ_CST);
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  int numbers[THREADS];
  pthread_key_create(&key, destroy);
  for (int i = 0; i < THREADS; i++) {
    numbers[i] = 1000 + i;
    pthread_create(&threads[i], 0, work, &numbers[i]);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  printf("%d wrong, %d destroyed, %d\n", wrong, destroyed, own);
  return wrong || destroyed != THREADS;
}
