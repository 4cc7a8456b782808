// class: output-difference
// differs: end
// Both do something wrong, but not the same.
#include <stdlib.h>
int main(void) {
#ifdef OLD
  for (volatile int i = 0;;) i++;
#endif
  abort();
}
