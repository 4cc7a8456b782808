//@ domain: x=1
// Both ask behind the split, each its own question; the answers matter only where one of them is yes.
#include <stdio.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x, y;
	umbra_symbolic(&x, 1, "x");
	y = x >> 4;
	x &= 15;
	int found;
	if (x < change(6, 9)) { //~ control
		at(1);
		found = y % 4 == 3 || y == 12;
	} else {
		at(2);
		found = y == 12 || y == 13;
	}
	printf("%d %d\n", found, found ? y : 0);
	return found;
}
