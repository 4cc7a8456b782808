// class: regression
// differs: sanitizer
// flags: -fsanitize=address,undefined
// The program goes on after the report, whose text is not compared as its output.
#include <limits.h>
int main(int argc, char **argv) {
  volatile int most = INT_MAX;
#ifdef NEW
  most += argc;
#endif
  return 0;
}
