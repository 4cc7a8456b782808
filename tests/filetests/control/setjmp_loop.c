#include <setjmp.h>
#include <stdio.h>

static jmp_buf outer, inner;

static void deep(int n) {
  char buffer[32];
  snprintf(buffer, sizeof buffer, "depth %d", n);
  if (n == 0)
    longjmp(inner, 5);
  deep(n - 1);
  puts(buffer);
}

int main(void) {
  volatile int rounds = 0;
  int value = setjmp(outer);
  printf("outer %d\n", value);
  if (rounds < 3) {
    rounds++;
    int n = setjmp(inner);
    if (n == 0)
      deep(rounds * 10);
    printf("inner %d\n", n);
    longjmp(outer, rounds == 3 ? 0 : rounds);
  }
  printf("rounds %d\n", rounds);
  return 0;
}
