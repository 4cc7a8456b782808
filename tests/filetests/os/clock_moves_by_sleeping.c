#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(void) {
  struct timespec a, b, pause = {0, 20000000};
  clock_gettime(CLOCK_MONOTONIC, &a);
  nanosleep(&pause, 0);
  clock_gettime(CLOCK_MONOTONIC, &b);
  long elapsed = (b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec;
  printf("%d\n", elapsed >= 20000000);
  return 0;
}
