// class: output-difference
// differs: content of out
#include <unistd.h>
#ifdef OLD
int main(void) { return symlink("in", "out"); }
#else
int main(void) { return symlink("./in", "out"); }
#endif
