//@ domain: x=1
// Only the old version returns early: the versions come to different places.
#include <umbra.h>
#include "at.h"

static int f(unsigned char x)
{
	if (execute(OLD)) //~ control
		if (x == 3)
			return 5;
	at(0);
	return x & 7;
}

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int y = f(x);
	at(1);
	return y;
}
