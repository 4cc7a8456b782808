// class: same
// Both write the file during their run; the moment does not count.
#include <stdio.h>
int main(void) { return fclose(fopen("out", "w")); }
