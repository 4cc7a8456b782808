//@ seed:
//@ mechanism: options
// A variable of the environment.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const char *mode = getenv("STRICT_MODE");
  if (mode && *mode)
    puts("reached"); // TARGET
  return 0;
}
