// A turnstile with a jammed state that nobody leaves: the next state is -1.
//@ trigger: events="\x01\x02\x02\x00"
//@ benign: events="\x01\x02\x00\x00"
#include <klee/klee.h>

static const signed char next[4][3] = {{0, 1, 0}, {0, 1, 2}, {2, 2, 3}, {-1, 0, 3}};

int main(void) {
  unsigned char events[4];
  klee_make_symbolic(events, sizeof events, "events");
  int state = 0, passed = 0;
  for (int i = 0; i < 4; i++) {
    if (events[i] > 2) return 1;
    if (state == 1) passed++;
    state = next[state][events[i]];
  }
  int visits[4] = {0};
  visits[state]++; //~ out-of-bounds-read
  return passed == 9;
}
