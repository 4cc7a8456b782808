// class: regression
// differs: end
#include <stdlib.h>
int main(void) {
#ifdef NEW
  abort();
#endif
  return 0;
}
