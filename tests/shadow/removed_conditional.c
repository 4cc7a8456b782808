//@ domain: x=1
// A conditional that only the old version has, condition and body: its branches are nobody else's, what
// they have changed shows later.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int y = x;
	if (execute(OLD)) { //~ data
		if (x > 100)
			y = 100;
		else if (x == 7)
			y = 7;
	}
	at(0);
	if (y > 120) { //~ control
		at(1);
		return 1;
	}
	at(2);
	return y > 99 ? y & 1 : 0;
}
