// eventfd and timerfd: counters to be read and waited for.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static void show(const char *what, long result) {
  printf("%s: %ld %s\n", what, result, result == -1 ? strerror(errno) : "");
}

static int ready(int fd) {
  struct pollfd p = { fd, POLLIN | POLLOUT, 0 };
  poll(&p, 1, 0);
  return p.revents;
}

int main(void) {
  uint64_t v = 0;
  int e = eventfd(3, EFD_NONBLOCK | EFD_CLOEXEC);
  printf("%d %d %o\n", ready(e), fcntl(e, F_GETFD), fcntl(e, F_GETFL));
  show("read", read(e, &v, 8));
  printf("%lu\n", (unsigned long)v);
  show("read again", read(e, &v, 8));
  show("read too little", read(e, &v, 7));
  show("write too little", write(e, &v, 7));
  v = 5;
  show("write", write(e, &v, 8));
  show("write", write(e, &v, 8));
  read(e, &v, 8);
  printf("%lu %d\n", (unsigned long)v, ready(e));
  v = UINT64_MAX;
  show("write the most", write(e, &v, 8));
  v = UINT64_MAX - 1;
  show("write nearly the most", write(e, &v, 8));
  printf("%d\n", ready(e));
  v = 1;
  show("write to a full one", write(e, &v, 8));
  int s = eventfd(2, EFD_SEMAPHORE | EFD_NONBLOCK);
  while (read(s, &v, 8) == 8) printf("one: %lu\n", (unsigned long)v);
  show("eventfd", eventfd(0, 0x10));

  int t = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  struct itimerspec old, soon = { { 0, 0 }, { 0, 30000000 } };
  show("unarmed", read(t, &v, 8));
  show("arm", timerfd_settime(t, 0, &soon, &old));
  printf("%ld %ld %d\n", (long)old.it_value.tv_sec, old.it_value.tv_nsec, ready(t));
  show("early", read(t, &v, 8));
  struct pollfd p = { t, POLLIN, 0 };
  show("poll", poll(&p, 1, 2000));
  show("late", read(t, &v, 8));
  printf("%lu\n", (unsigned long)v);
  fcntl(t, F_SETFL, 0);
  timerfd_settime(t, 0, &soon, 0);
  show("blocking", read(t, &v, 8));
  soon.it_interval.tv_nsec = 5000000;
  timerfd_settime(t, 0, &soon, 0);
  timerfd_gettime(t, &old);
  printf("%ld %ld\n", (long)old.it_interval.tv_nsec, (long)old.it_value.tv_sec);
  struct timespec pause = { 0, 52000000 };
  nanosleep(&pause, 0);
  read(t, &v, 8);
  printf("%d\n", v >= 5 && v < 100);
  show("write", write(t, &v, 8));
  show("clock", timerfd_create(77, 0));
  show("flags", timerfd_create(CLOCK_REALTIME, 1));
  show("not a timer", timerfd_settime(0, 0, &soon, 0));
  soon.it_value.tv_nsec = 1000000000;
  show("invalid", timerfd_settime(t, 0, &soon, 0));
  return 0;
}
