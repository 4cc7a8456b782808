//@ domain: x=1
// They part, and whatever either asks then, both say the same.
#include <stdio.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x, y;
	umbra_symbolic(&x, 1, "x");
	y = x >> 4;
	x &= 15;
	int large;
	if (change(x & 1, x & 2)) { //~ control
		at(1);
		large = y > 9;
	} else {
		at(2);
		large = !(y < 10);
	}
	puts(large ? "large" : "small");
	return large;
}
