//@ domain: x=1
//@ partings: 1
// Each version writes something of its own, of the same length. That is a difference, and no reason to part for good.
#include <stdio.h>
#include <unistd.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	if (execute(OLD)) //~ data
		write(1, "before\n", 7);
	else if (write(1, "be", 2) == 2)
		write(1, "hind\n", 5);
	at(0);
	write(1, "together\n", 9);
	putchar('0' + (x & 1));
	return 0;
}
