// One thread is enough: a lock that cannot be taken twice.
#include <pthread.h>

int main(void) {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  return pthread_mutex_lock(&lock); //~ deadlock
}
