// class: output-difference
// differs: end
// SIGTERM is not the signal of an error.
#include <signal.h>
int main(void) {
#ifdef NEW
  raise(SIGTERM);
#endif
  return 0;
}
