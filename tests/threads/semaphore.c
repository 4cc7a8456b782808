// Two threads take turns by semaphores; several share one that counts.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

enum { TURNS = 20000, THREADS = 4 };
static sem_t ping, pong, places;
static int turn, wrong, inside, most;

static void *answer(void *argument) {
  for (int i = 0; i < TURNS; i++) {
    sem_wait(&ping);
    if (turn++ != 2 * i) wrong++;
    sem_post(&pong);
  }
  return argument;
}

static void *share(void *argument) {
  for (int i = 0; i < TURNS / 4; i++) {
    sem_wait(&places);
    int now = __atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST);
    if (now > 2) __atomic_store_n(&most, now, __ATOMIC_SEQ_CST);
    __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
    sem_post(&places);
  }
  return argument;
}

int main(void) {
  pthread_t thread, threads[THREADS];
  sem_init(&ping, 0, 0);
  sem_init(&pong, 0, 0);
  sem_init(&places, 0, 2);
  pthread_create(&thread, 0, answer, 0);
  for (int i = 0; i < TURNS; i++) {
    sem_post(&ping);
    sem_wait(&pong);
    if (turn++ != 2 * i + 1) wrong++;
  }
  pthread_join(thread, 0);
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, share, 0);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  int left;
  sem_getvalue(&places, &left);
  printf("%d turns, %d wrong, %d too many, %d places\n", turn, wrong, most, left);
  return wrong || most || left != 2;
}
