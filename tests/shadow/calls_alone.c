//@ domain: x=1
// Calls from code of one version: what is called branches, loops and calls again, all of it alone.
#include <umbra.h>
#include "at.h"

static int depth(int n)
{
	return n < 2 ? 1 : 1 + depth(n / 2);
}

static int steps(int n)
{
	int count = 0;
	while (n > 0) {
		n = n & 1 ? n - 1 : n / 2;
		count++;
	}
	return count;
}

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int y = 0;
	if (execute(NEW))
		y = depth(x) + (x > 200 ? steps(x & 7) : 0);
	if (execute(OLD))
		y = depth(x);
	at(0);
	if (y > 8) { //~ control
		at(1);
		return 1;
	}
	at(2);
	return y;
}
