// class: output-difference
// differs: tree
#include <sys/stat.h>
#ifdef OLD
int main(void) { return chmod("in", 0600); }
#else
int main(void) { return chmod("in", 0640); }
#endif
