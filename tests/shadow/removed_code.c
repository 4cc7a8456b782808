//@ domain: x=1
// Straight-line code that only the old version has.
#include <stdio.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	int total = 0;
	umbra_symbolic(&x, 1, "x");
	if (execute(OLD)) { //~ data
		total += x / 64;
		printf("%d\n", x > 250);
	}
	at(0);
	total += x & 1;
	return total;
}
