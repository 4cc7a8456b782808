// class: regression
// differs: end, stdout
// Output without end is stopped at a limit.
#include <stdio.h>
int main(void) {
  puts("one");
#ifdef NEW
  for (;;)
    if (puts("more") < 0) return 1;
#endif
  return 0;
}
