// A server that gives up on a data packet before the handshake is done.
//@ sym: stdin=4
//@ trigger: stdin="SSAD"
//@ benign: stdin="SAHD"
#include <stdio.h>
#include <stdlib.h>

enum state { closed, opening, secure, ready };

int main(void) {
  enum state state = closed;
  int c, credit = 0;
  while ((c = getchar()) != EOF) {
    switch (c) {
    case 'S':
      credit++;
      state = opening;
      break;
    case 'A':
      if (state == opening) state = credit == 2 ? ready : secure;
      break;
    case 'H':
      if (state == secure) state = ready;
      credit = 0;
      break;
    case 'D':
      if (state != ready) return 1;
      if (credit) abort(); //~ abort
      break;
    default:
      return 2;
    }
  }
  return 0;
}
