//@ domain: x=1
// A modified return value, which a caller compares.
#include <umbra.h>
#include "at.h"

static int clamp(int n) { return change(n > 100 ? 100 : n, n > 99 ? 99 : n); }

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	if (clamp(x) == 100) { //~ control
		at(0);
		return 1;
	}
	at(1);
	return 0;
}
