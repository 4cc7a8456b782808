// class: output-difference
// differs: end
#include <signal.h>
#ifdef OLD
int main(void) { return raise(SIGSEGV); }
#else
int main(void) { return raise(SIGABRT); }
#endif
