// class: same
#include <stdio.h>
int main(void) { return puts("the same") < 0; }
