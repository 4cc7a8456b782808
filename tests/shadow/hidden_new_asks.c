//@ domain: x=1
// Only the new version asks more behind the split.
#include <stdio.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x, y;
	umbra_symbolic(&x, 1, "x");
	y = x >> 4;
	x &= 15;
	int status = 0;
	if (change(0, x < 4)) { //~ control
		at(1);
		if (y > 13)
			status = 3;
		else if (y == 7)
			status = 4;
	} else
		at(2);
	return status;
}
