// A check moves to where a file is opened; what follows in the error's branch looks like what followed before.
//@ test: /etc/passwd /etc/passwd
//@ test: /etc/passwd /nonexistent
//@ test: /nonexistent /etc/passwd quiet
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int descriptor[2], quiet;
static struct stat status[2];
static const char *file[2];

static void complain(const char *name) {
  fprintf(stderr, "%s: %s\n", name, strerror(errno));
}

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  file[0] = argv[1];
  file[1] = argv[2];
  quiet = argc > 3;
  for (int f = 0; f < 2; f++) {
    if (f && file[0] == file[1])
      descriptor[f] = descriptor[0];
//- old
    else
      descriptor[f] = open(file[f], O_RDONLY, 0);

    if (descriptor[f] < 0 || fstat(descriptor[f], status + f) != 0) {
      if (descriptor[f] < 0 && quiet)
        exit(2);
      else {
        complain(file[f]);
        exit(2);
      }
    }
//- new
    else {
      descriptor[f] = open(file[f], O_RDONLY, 0);

      if (descriptor[f] < 0) {
        if (!quiet)
          complain(file[f]);
        exit(2);
      }
    }

    if (fstat(descriptor[f], status + f) < 0)
      status[f].st_size = -1;
//- both
  }
  if (status[0].st_size == status[1].st_size)
    return 0;
  puts("differ");
  return 1;
}
