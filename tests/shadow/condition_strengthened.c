//@ domain: x=1 y=1
// A condition that got stronger.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x, y;
	umbra_symbolic(&x, 1, "x");
	umbra_symbolic(&y, 1, "y");
	if (change(x > 200, x > 200 && y < 3)) { //~ control
		at(0);
		return 1;
	}
	at(1);
	return 2;
}
