//@ native: different the engine runs one program
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  execl("/bin/true", "true", (char *)0);
  printf("%s\n", strerror(errno));
  return 0;
}
