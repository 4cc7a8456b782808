//@ domain: x=1
// A switch on what differs: where the old version goes is found out behind the split.
#include <stdio.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x, y;
	umbra_symbolic(&x, 1, "x");
	y = x >> 4;
	x &= 15;
	int result = 0;
	switch (change(x & 3, (x >> 1) & 3)) { //~ control
	case 0:
		at(1);
		result = y == 10;
		break;
	case 1:
		at(2);
		result = y == 10 || y == 11;
		break;
	case 2:
		at(3);
		result = y >= 10 && y <= 12;
		break;
	default:
		at(4);
		break;
	}
	printf("%d\n", result);
	return 0;
}
