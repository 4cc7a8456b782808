//@ domain: x=1
//@ replay: no, the old version does not end on some inputs
// The old version does not terminate on some inputs.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	volatile int n = x;
	if (execute(OLD)) { //~ control
		if (x > 250)
			while (n)
				;
	}
	at(0);
	return 0;
}
