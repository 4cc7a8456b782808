// Logging out frees the session; a command after that still uses it.
//@ sym: stdin=3
//@ trigger: stdin="lqs"
//@ benign: stdin="lsq"
#include <stdio.h>
#include <stdlib.h>

struct session {
  int commands;
};

int main(void) {
  struct session *session = NULL;
  int c;
  while ((c = getchar()) != EOF) {
    switch (c) {
    case 'l':
      if (!session) session = calloc(1, sizeof *session);
      break;
    case 'q':
      if (session) free(session);
      if (session) goto stop;
      break;
    default:
      return 1;
    case 's':
      if (!session) return 2;
      session->commands++;
    }
  }
  return 0;
stop:
  if (getchar() != 's') return 0;
  return session->commands; //~ use-after-free
}
