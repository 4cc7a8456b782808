// Arguments behind the `...` that have to lie at round addresses.
#include <stdarg.h>
#include <stdio.h>

struct round { _Alignas(32) int number; char letter; };
struct pair { _Alignas(16) long first, second, third; };

static int sum(int count, ...) {
  va_list list, again;
  va_start(list, count);
  __va_copy(again, list);
  int total = va_arg(list, int);
  struct round round = va_arg(list, struct round);
  total += round.number + round.letter;
  total += (int)va_arg(list, long double);
  struct pair pair = va_arg(list, struct pair);
  total += (int)(pair.first * pair.second * pair.third) + va_arg(list, int);
  total -= va_arg(again, int);
  va_end(list);
  va_end(again);
  return total;
}

int main(void) {
  struct round round = {5, 'a'};
  struct pair pair = {2, 3, 4};
  printf("%d\n", sum(1, 3, round, 2.0L, pair, 4));
  return 0;
}
