// class: output-difference
// differs: mode of in
#include <sys/stat.h>
#ifdef OLD
int main(void) { return chmod("in", 0600); }
#else
int main(void) { return chmod("in", 0640); }
#endif
