//@ domain: x=1
// An assignment that only the old version has, and that is overwritten on half of the inputs.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	int y = 3;
	umbra_symbolic(&x, 1, "x");
	if (execute(OLD)) //~ data
		y = 7;
	at(0);
	if (x & 1) {
		at(1);
		y = x;
	}
	return y;
}
