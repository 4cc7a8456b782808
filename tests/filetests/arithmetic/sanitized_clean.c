//@ cc: -fsanitize=address,undefined -fno-sanitize-recover=all
// Nothing is undefined here, whatever is checked; what cannot be part of our programs is left out.
#include <limits.h>
#include <stdio.h>
#include <string.h>

struct pair { char first; int second; } __attribute__((packed));

static int sum(int count, const int *numbers) {
  int total = 0;
  for (int i = 0; i < count; i++) total += numbers[i];
  return total;
}

int main(int argc, char **argv) {
  struct pair pair = {1, INT_MAX};
  int numbers[] = {1, 2, 3, argc}, (*call)(int, const int *) = sum;
  unsigned wraps = UINT_MAX;
  char text[argc + 4];
  memcpy(text, "four", 5);
  printf("%d %u %d %s\n", call(4, numbers), wraps + argc, pair.second, text);
  printf("%d %lu\n", -8 >> argc, 1ul << (argc * 63));
  return 0;
}
