#include <stdio.h>

__attribute__((weak)) int missing(int);
__attribute__((weak)) int present(int n) { return n + 1; }
int original(int n) { return n * 2; }
int other(int n) __attribute__((alias("original")));
extern int missing_data __attribute__((weak));

int main(void) {
  printf("%d %d %d\n", missing != 0, &missing_data != 0, present(1));
  printf("%d %d\n", other(4), original == other);
  return 0;
}
