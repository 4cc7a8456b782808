//@ domain: x=1
//@ replay: no, the new version does not end on some inputs
// The new version does not terminate on one input.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	volatile int n = x;
	if (execute(NEW)) { //~ control
		while (n == 200)
			;
	}
	at(0);
	return 0;
}
