//@ domain: x=1
// The difference is in a variable that an unchanged condition looks at only later.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int y = change(x, x & 0xfe);
	int z = 0;
	if (x > 100) {
		at(0);
		z = y;
	} else {
		at(1);
		z = x;
	}
	if (z == 151) { //~ control
		at(2);
		return 1;
	}
	at(3);
	return 0;
}
