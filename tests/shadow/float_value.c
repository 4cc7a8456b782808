//@ domain: x=1
// A modified factor of floating-point arithmetic.
#include <umbra.h>
#include "at.h"

int main(void)
{
	signed char x;
	umbra_symbolic(&x, 1, "x");
	double y = x * change(0.5, 0.25);
	at(0);
	if (y > 20.0) { //~ control
		at(1);
		return 1;
	}
	return 0;
}
