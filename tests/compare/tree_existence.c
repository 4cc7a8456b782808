// class: output-difference
// differs: existence of in
#include <unistd.h>
int main(void) {
#ifdef NEW
  unlink("in");
#endif
  return 0;
}
