// A histogram of letters takes '{' for one of them.
//@ sym: stdin=3
//@ trigger: stdin="ab{"
//@ benign: stdin="abz"
#include <stdio.h>

static int count[26];

int main(void) {
  int c;
  while ((c = getchar()) != EOF) {
    if (c < 'a' || c > 'z' + 1) continue;
    count[c - 'a']++; //~ out-of-bounds-read
  }
  int best = 0;
  for (int i = 1; i < 26; i++)
    if (count[i] > count[best]) best = i;
  putchar('a' + best);
  return 0;
}
