// Functions that note a place while they walk on make a path for each pair of places: still far from
// 2^8. 45 for strrchr, 37 for memmem, 73 for strstr.
//@ paths: 155
//@ benign: which=i32:0 s=6162636465666768
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <klee/klee.h>
#include <string.h>

int main(void) {
  char s[9];
  int which = klee_range(0, 3, "which");
  klee_make_symbolic(s, 8, "s");
  s[8] = 0;
  if (which == 0) return strrchr(s, 'x') != 0;
  if (which == 1) return memmem(s, 8, "ab", 2) != 0;
  return strstr(s, "ab") != 0;
}
