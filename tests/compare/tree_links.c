// class: output-difference
// differs: links of in, existence of out
#include <unistd.h>
int main(void) {
#ifdef NEW
  return link("in", "out");
#endif
  return 0;
}
