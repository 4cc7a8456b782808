// class: output-difference
// differs: stdout from byte 0
#include <stdio.h>
#ifdef OLD
int main(void) { return puts("one") < 0; }
#else
int main(void) { return puts("two") < 0; }
#endif
