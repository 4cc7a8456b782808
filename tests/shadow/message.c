//@ domain: x=1
// A changed message: the versions go on together after it.
#include <stdio.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	if (x < 5) {
		at(0);
		puts(change("too small", "is too small")); //~ data
	} else {
		at(1);
		printf("%s\n", "fine");
	}
	at(2);
	if (x == 77) {
		at(3);
		puts("seventy-seven");
	}
	return 0;
}
