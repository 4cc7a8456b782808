// Locks for readers and writers, barriers, spin locks.
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 10000 };
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static long left, right, torn, serial, spun;

static void *work(void *argument) {
  long number = *(int *)argument, bad = 0;
  for (int i = 0; i < ROUNDS; i++) {
    if (i % 4 == number) {
      pthread_rwlock_wrlock(&lock);
      left++;
      right--;
      pthread_rwlock_unlock(&lock);
    } else {
      pthread_rwlock_rdlock(&lock);
      bad += left != -right;
      pthread_rwlock_unlock(&lock);
    }
    pthread_spin_lock(&spin);
    spun++;
    pthread_spin_unlock(&spin);
    if (i % 100 == 0 && pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) serial++;
  }
  __atomic_fetch_add(&torn, bad, __ATOMIC_SEQ_CST);
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  int numbers[THREADS];
  pthread_barrier_init(&barrier, 0, THREADS);
  pthread_spin_init(&spin, 0);
  for (int i = 0; i < THREADS; i++) {
    numbers[i] = i;
    pthread_create(&threads[i], 0, work, &numbers[i]);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  printf("%ld %ld %ld torn %ld serial %ld\n", left, right, torn, serial, spun);
  return torn || left != ROUNDS;
}
