// A call that has no model ends the path, and says which it was.
#include <stdio.h>
#include <sys/epoll.h>

int main(void) {
  puts("before");
  int e = epoll_create1(0); //~ unsupported
  printf("%d\n", e);
  return 0;
}
