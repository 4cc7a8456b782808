// A thread that reads from a pipe lets the one run that writes to it.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2];

static void *receive(void *argument) {
  char text[6] = "";
  long length = read(ends[0], text, 5);
  printf("%ld %s\n", length, text);
  return argument;
}

int main(void) {
  pthread_t thread;
  if (pipe(ends)) return 1;
  pthread_create(&thread, 0, receive, 0);
  usleep(1000);
  if (write(ends[1], "hello", 5) != 5) return 1;
  return pthread_join(thread, 0);
}
