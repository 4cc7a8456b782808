// Pointers that are exchanged, copied with memcpy and kept in a union; free takes what is left.
//@ domain: x=2
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

union word {
  unsigned char *pointer;
  uintptr_t number;
};

int main(void) {
  unsigned char x[2];
  klee_make_symbolic(x, sizeof x, "x");
  unsigned char *big = malloc(8), *small = malloc(2);
  memset(big, 3, 8);
  memset(small, 5, 2);
  if (x[0] > x[1]) {
    unsigned char *other = big;
    big = small;
    small = other;
  }
  union word word = {.pointer = x[0] & 1 ? big : small};
  unsigned char *copy;
  memcpy(&copy, &word, sizeof copy);
  copy += x[1] & 3;
  int value = *copy; //~ out-of-bounds-read
  free(copy - value + (x[0] & 1 ? 3 : 5)); //~ invalid-free
  return value;
}
