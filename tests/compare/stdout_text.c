// class: output-difference
// differs: stdout
#include <stdio.h>
#ifdef OLD
int main(void) { return puts("one") < 0; }
#else
int main(void) { return puts("two") < 0; }
#endif
