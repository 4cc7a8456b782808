// Nothing orders the two additions: the path is cut.
#include <pthread.h>

static int counter;

static void *count(void *argument) {
  counter++; //~ unsupported
  return argument;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, count, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return counter;
}
