// class: fix
// differs: end
#include <stdlib.h>
int main(void) {
#ifdef OLD
  abort();
#endif
  return 0;
}
