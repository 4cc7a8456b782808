// Two versions that use up time or memory in the way that the argument names.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <umbra.h>

static unsigned char in[64];
static volatile unsigned sink;

int main(int argc, char **argv) {
  size_t length = fread(in, 1, sizeof in, stdin);
  unsigned value = change(in[0], in[0] + 1);
  const char *way = argc > 1 ? argv[1] : "";
  if (!strcmp(way, "endless"))
    for (;;) sink++;
  if (!strcmp(way, "states"))
    for (size_t i = 0;; i = (i + 1) % length) {
      char *own = malloc(100 << 10);
      memset(own, i, 100 << 10);
      if (in[i] & 1 << sink++ % 8) value++;
    }
  if (!strcmp(way, "objects"))
    while (malloc(16)) sink++;
  if (value == 7) puts("seven");
  return 0;
}
