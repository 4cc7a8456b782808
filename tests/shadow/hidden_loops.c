//@ domain: x=1
// Loops behind the split, as long as the input says, in both versions.
#include <stdio.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x, y;
	umbra_symbolic(&x, 1, "x");
	y = x >> 4;
	x &= 15;
	unsigned sum = 0;
	y %= 8;
	if (change(x > 8, x > 11)) { //~ control
		at(1);
		for (unsigned i = 0; i < y; i++)
			sum += i;
	} else {
		at(2);
		for (unsigned i = y; i > 0; i--)
			sum += i == 5 ? 5 : i - 1;
	}
	printf("%u\n", sum);
	return 0;
}
