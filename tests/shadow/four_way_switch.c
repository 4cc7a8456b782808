//@ domain: x=1
//@ paths: 3
// A switch of three ways: a path for each place that the new version comes to where the old one does not.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	switch (change(x & 3, x >> 2 & 3)) { //~ control
	case 0:
		at(0);
		return 1;
	case 1:
	case 2:
		at(1);
		return 2;
	default:
		at(2);
		return 3;
	}
}
