// Loops whose number of rounds is an input; one of them is nested.
//@ domain: n=i32:0..9 m=i32:0..9
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
  int n = klee_range(0, 9, "n"), m = klee_range(0, 9, "m");
  int sum = 0;
  for (int i = 0; i < n; i++) {
    for (int j = i; j < m; j++) {
      if ((i + j) % 3 == 2) continue;
      sum += j;
      if (sum > 40) goto done;
    }
  }
done:
  printf("%d\n", sum);
  return sum & 127;
}
