//@ domain: x=1 y=1
// A condition that got weaker, inside another one that did not change.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x, y;
	umbra_symbolic(&x, 1, "x");
	umbra_symbolic(&y, 1, "y");
	if (x < 10) {
		at(0);
		if (change(y == 4, y == 4 || x == 5)) { //~ control
			at(1);
			return 1;
		}
	}
	at(2);
	return 0;
}
