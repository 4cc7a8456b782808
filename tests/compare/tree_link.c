// class: output-difference
// differs: tree
#include <unistd.h>
#ifdef OLD
int main(void) { return symlink("in", "out"); }
#else
int main(void) { return link("in", "out"); }
#endif
