// class: output-difference
// differs: stdout
#include <stdio.h>
int main(void) {
  puts("one");
#ifdef NEW
  puts("two");
#endif
  return 0;
}
