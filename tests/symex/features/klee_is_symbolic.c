// Symbolic here is what depends on the input, and no more.
//@ replay: no, natively nothing is symbolic
//@ benign: x=i32:5
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
  int x = klee_int("x"), fixed = 7;
  int count = 0;
  if (klee_is_symbolic(fixed)) return 1;
  if (klee_is_symbolic((uintptr_t)x)) count++;
  if (klee_is_symbolic((uintptr_t)(x & 1))) count++;
  if (klee_is_symbolic((uintptr_t)(x ^ x))) count++;
  if (x == 5 && klee_is_symbolic((uintptr_t)(fixed + 1))) return 2;
  if (klee_is_replay()) return count == 0 ? 0 : 3;
  printf("%d\n", count);
  return 0;
}
