//@ domain: x=1
// The new version exits where the old one goes on, and both exit alike elsewhere.
#include <stdlib.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	if (x == 9) {
		at(0);
		if (execute(OLD)) //~ data
			exit(1);
		if (execute(NEW))
			exit(2);
	}
	if (execute(NEW)) //~ control
		if (x == 3)
			exit(4);
	at(1);
	return 0;
}
