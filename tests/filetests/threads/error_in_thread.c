// An error of another thread than the first.
#include <pthread.h>
#include <stdlib.h>

static void *work(void *argument) {
  int *numbers = argument;
  numbers[4] = 1; //~ out-of-bounds-write
  return 0;
}

int main(void) {
  pthread_t thread;
  int *numbers = malloc(4 * sizeof *numbers);
  pthread_create(&thread, 0, work, numbers);
  return pthread_join(thread, 0);
}
