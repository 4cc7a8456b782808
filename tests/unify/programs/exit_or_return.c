// The old version exits, the new one returns from main; what runs at exit is the same.
//@ test:
//@ test: a
//@ test: a b
#include <stdio.h>
#include <stdlib.h>

static void done(void) {
  puts("done");
}

int main(int argc, char **argv) {
  int status = argc > 2;
  atexit(done);
  if (argc > 1)
    printf("%s\n", argv[1]);
//- old
  exit(status);
//- new
  return status;
//- both
}
