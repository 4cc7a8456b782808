#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  execl("/bin/true", "true", (char *)0); //~ unsupported
  printf("%s\n", strerror(errno));
  return 0;
}
