// class: output-difference
// differs: stdout from byte 4
#include <stdio.h>
int main(void) {
  puts("one");
#ifdef NEW
  puts("two");
#endif
  return 0;
}
