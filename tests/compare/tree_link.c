// class: output-difference
// differs: kind of out, links of in
#include <unistd.h>
#ifdef OLD
int main(void) { return symlink("in", "out"); }
#else
int main(void) { return link("in", "out"); }
#endif
