// A switch over values far apart, ranges and fall-through.
//@ domain: code=2
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
  unsigned short code;
  klee_make_symbolic(&code, sizeof code, "code");
  int kind = 0;
  switch (code) {
  case 0: return 9;
  case 200 ... 299: kind++; /* fall through */
  case 300 ... 399: kind++; /* fall through */
  case 404: kind++; break;
  case 500: case 503: kind = 10; break;
  case 0xffff: kind = 11; break;
  default: kind = code & 1 ? 12 : 13;
  }
  printf("%d\n", kind);
  return kind;
}
