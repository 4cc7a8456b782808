// The threads of C11.
#include <stdio.h>
#include <threads.h>

enum { THREADS = 3, ROUNDS = 20000 };
static mtx_t mutex;
static cnd_t all_there;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static thread_local int own;
static int there, count, initialised;

static void initialise(void) { initialised++; }

static int work(void *argument) {
  call_once(&once, initialise);
  tss_set(key, &own);
  mtx_lock(&mutex);
  if (++there == THREADS) cnd_broadcast(&all_there);
  while (there < THREADS) cnd_wait(&all_there, &mutex);
  mtx_unlock(&mutex);
  for (int i = 0; i < ROUNDS; i++) {
    mtx_lock(&mutex);
    count++;
    mtx_unlock(&mutex);
    own++;
  }
  return argument == 0 && tss_get(key) == &own ? own : -1;
}

int main(void) {
  thrd_t threads[THREADS];
  int sum = 0, result;
  mtx_init(&mutex, mtx_plain);
  cnd_init(&all_there);
  tss_create(&key, 0);
  for (int i = 0; i < THREADS; i++)
    if (thrd_create(&threads[i], work, 0) != thrd_success) return 2;
  for (int i = 0; i < THREADS; i++) {
    thrd_join(threads[i], &result);
    sum += result;
  }
  printf("%d %d %d\n", count, sum, initialised);
  return count != sum;
}
