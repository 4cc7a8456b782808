// Pointers at a symbolic index, and what they point to.
//@ domain: x=1
#include <klee/klee.h>
#include <stdio.h>
#include <string.h>

static const char *const words[] = {"zero", "one", "two", "three", "four", "five", "six", "seven"};

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, 1, "x");
  const char *word = words[x & 7];
  size_t length = strlen(word);
  if (length == 5) puts(word);
  if (word[x % 3] == 'e') return 1;
  return (int)length + (words[x >> 5] == word ? 10 : 20);
}
