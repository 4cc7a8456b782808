// class: nondeterminism-introduced
// differs: stdout
#include <stdio.h>
#include <time.h>
int main(void) {
  struct timespec now = {0};
#ifdef NEW
  clock_gettime(CLOCK_REALTIME, &now);
#endif
  printf("%ld.%09ld\n", (long)now.tv_sec, now.tv_nsec);
  return 0;
}
