//@ domain: x=1
// A switch on a modified value: cases that go to the same place are the same.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	switch (change(x % 8, x % 8 | 1)) { //~ control
	case 0:
	case 1:
		at(0);
		return 1;
	case 2:
		at(1);
		return 2;
	case 3:
		at(2);
		return 3;
	default:
		at(3);
		return 4;
	}
}
