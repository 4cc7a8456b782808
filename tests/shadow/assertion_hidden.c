//@ domain: x=i32:-300..300
// After Noller et al.: the assertion fails in the new version for two inputs only, and from a
// test with x = -1 the fault is not near.
#include <stdlib.h>
#include <umbra.h>
#include "at.h"

static int f(int x)
{
	int y;
	if (x < 0) {
		at(0);
		y = -x;
	} else {
		at(1);
		y = 2 * x;
	}
	y = change(y, -y);
	if (y > 1) { //~ control
		at(2);
		return 0;
	}
	at(3);
	if (y == 1 || y == 0) { //~ control
		at(4);
		if (execute(NEW)) //~ control
			if (x == 0)
				abort();
	}
	return 1;
}

int main(void)
{
	int x;
	umbra_symbolic(&x, sizeof x, "x");
	return f(x);
}
