//@ domain: x=u8:0..3
// Both versions divide by zero, each in a line of its own: whoever looks from outside sees the same signal.
#include <stdio.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	umbra_assume(x < 3);
	int r;
	if (change(0, 1)) { //~ control
		at(0);
		r = 100 / x;
	} else {
		at(1);
		r = 100 % x;
	}
	printf("%d\n", r);
	return 0;
}
