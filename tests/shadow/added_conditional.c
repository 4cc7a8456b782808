//@ domain: x=1
// A conditional that only the new version has: its own branches are no divergence.
#include <stdio.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int y = x;
	if (execute(NEW)) {
		if (x > 100)
			y = 100;
		else if (x == 7)
			y = 8;
	}
	at(0);
	if (y == 100) { //~ control
		at(1);
		return 1;
	}
	if (y == 8) { //~ control
		at(2);
		return 2;
	}
	return 0;
}
