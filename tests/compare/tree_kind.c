// class: output-difference
// differs: kind of out
#include <fcntl.h>
#include <sys/stat.h>
#ifdef OLD
int main(void) { return mkdir("out", 0755); }
#else
int main(void) { return open("out", O_CREAT | O_WRONLY, 0755) < 0; }
#endif
