//@ domain: x=1
//@ paths: 2
// One branch with all four outcomes: both sides together, and both ways to part.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	if (change(x & 1, x & 2)) { //~ control
		at(0);
		return 1;
	}
	at(1);
	return 0;
}
