//@ domain: x=1
// Two conditions that changed places, in code of each version: no divergence if all ends the same.
#include <umbra.h>
#include "at.h"

static int class(unsigned char x)
{
	if (execute(OLD)) {
		if (x < 10)
			return 1;
		if (x % 2 == 0)
			return 2;
		return 3;
	} else {
		if (x % 2 == 0 && x >= 10)
			return 2;
		if (x < 10)
			return 1;
		return 3;
	}
}

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	switch (class(x)) {
	case 1:
		at(0);
		return 4;
	case 2:
		at(1);
		return 5;
	default:
		at(2);
		return 6;
	}
}
