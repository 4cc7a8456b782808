//@ domain: x=1
// Straight-line code added as `if (change(0, 1))`: the branch itself is a divergence, always.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int y = x;
	if (change(0, 1)) { //~ control
		at(0);
		y = x | 1;
	}
	at(1);
	return y & 0x7f;
}
