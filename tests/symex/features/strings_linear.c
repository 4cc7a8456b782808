// Functions that walk along a string make a path for each place where they may stop (9 of 8 bytes, or
// 17 where two things may stop them), not for each of the 2^8 ways to get there; comparisons
// make one. 8 * 9 + 5 * 17 + 4.
//@ paths: 161
//@ benign: which=i32:0 s=6162636465666768
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <klee/klee.h>
#include <string.h>
#include <strings.h>

int main(void) {
  char s[9], to[20] = "";
  int which = klee_range(0, 17, "which");
  klee_make_symbolic(s, 8, "s");
  s[8] = 0;
  switch (which) {
  case 0: return strlen(s);
  case 1: return strnlen(s, 8);
  case 2: return memchr(s, 'x', 8) != 0;
  case 3: return memrchr(s, 'x', 8) != 0;
  case 4: return strcpy(to, s) == to;
  case 5: return stpcpy(to, s) - to;
  case 6: return strcat(to, s) == to;
  case 7: return strncpy(to, s, 8) == to;
  case 8: return strchr(s, 'x') != 0;
  case 9: return strchrnul(s, 'x') - s;
  case 10: return strspn(s, "abc");
  case 11: return strcspn(s, "abc");
  case 12: return strpbrk(s, "abc") != 0;
  case 13: return memcmp(s, "abcdefgh", 8) == 0;
  case 14: return strcmp(s, "abcdefgh") == 0;
  case 15: return strncmp(s, "abcd", 4) == 0;
  default: return strcasecmp(s, "abcdefgh") == 0;
  }
}
