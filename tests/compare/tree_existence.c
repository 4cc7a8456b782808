// class: output-difference
// differs: tree
#include <unistd.h>
int main(void) {
#ifdef NEW
  unlink("in");
#endif
  return 0;
}
