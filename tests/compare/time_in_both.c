// class: flaky
// differs: stdout
#include <stdio.h>
#include <time.h>
int main(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  printf("%ld.%09ld\n", (long)now.tv_sec, now.tv_nsec);
  return 0;
}
