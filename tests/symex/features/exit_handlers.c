// The exit status is symbolic, and handlers run at the end.
//@ sym: stdin=1
//@ benign: stdin="\x05"
#include <stdio.h>
#include <stdlib.h>

static int status;

static void last(void) { printf("status %s\n", status & 1 ? "odd" : "even"); }

int main(void) {
  atexit(last);
  int c = getchar();
  if (c == EOF) return 9;
  status = c % 7;
  if (c > 200) _Exit(status);
  exit(status);
}
