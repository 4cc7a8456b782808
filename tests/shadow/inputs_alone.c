//@ domain: x=1 y=1
// An input that each version asks for in code of its own is the same for both.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x, y = 0;
	umbra_symbolic(&x, 1, "x");
	if (execute(OLD)) { //~ data
		umbra_symbolic(&y, 1, "y");
	} else {
		umbra_symbolic(&y, 1, "y");
		y ^= x == 200;
	}
	at(0);
	if (y / 2 > 100) {
		at(1);
		return 1;
	}
	return y;
}
