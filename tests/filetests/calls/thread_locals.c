#include <errno.h>
#include <stdio.h>

static _Thread_local int counter = 5;
static __thread char buffer[8] = "tls";

int main(void) {
  counter++;
  buffer[0] = 'T';
  errno = 7;
  printf("%d %s %d\n", counter, buffer, errno);
  return 0;
}
