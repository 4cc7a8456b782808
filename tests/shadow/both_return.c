//@ domain: x=1
// Both versions return from code of their own: out of the function they meet again.
#include <umbra.h>
#include "at.h"

static int f(unsigned char x)
{
	if (execute(OLD)) { //~ data
		return x / 2;
	} else {
		return x >> 1 | (x == 200);
	}
}

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int y = f(x);
	at(1);
	return y;
}
