//@ domain: x=1
// Behind the split one version fails, or the other, or both.
#include <stdlib.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x, y;
	umbra_symbolic(&x, 1, "x");
	y = x >> 4;
	x &= 15;
	if (change(x == 3, x == 4)) { //~ control
		at(1);
		if (y < 2 || y > 13)
			abort();
	} else {
		at(2);
		if (y < 5)
			abort();
	}
	return 0;
}
