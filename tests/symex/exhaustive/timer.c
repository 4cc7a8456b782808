//@ sym: stdin=1
// A timer has expired so often as the program has slept.
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

int main(void) {
  unsigned char b;
  if (read(0, &b, 1) != 1) return 99;
  int f = timerfd_create((b & 1) ? CLOCK_MONOTONIC : CLOCK_REALTIME, TFD_NONBLOCK);
  if (f < 0) return 1;
  struct itimerspec t = { { 0, 0 }, { (b & 2) ? 1000 : 0, (b & 4) ? 1000 : 0 } };
  if (timerfd_settime(f, 0, &t, 0)) return 2;
  uint64_t v;
  usleep(2000);
  return read(f, &v, 8) == 8 ? 10 + (int)v : 3;
}
