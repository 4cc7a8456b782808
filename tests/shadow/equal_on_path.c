//@ domain: x=1
//@ partings: 2
//@ settled: 3
// What the versions compute is not the same, but on every input that gets there: nothing is left that differs.
#include <stdio.h>
#include <umbra.h>
#include "at.h"

static const char names[] = "zero one two three four five six seven";
static int kept;

int main(void)
{
	unsigned char x;
	unsigned at_name, masked, plain, other;
	umbra_symbolic(&x, 1, "x");
	if (x >= 32) {
		at(0);
		return 1;
	}
	/* By the code of one version: a value in a register and one in memory. */
	if (execute(OLD)) {
		at_name = x & 31;
		kept = x % 64;
	} else {
		at_name = x;
		kept = x;
	}
	at(1);
	putchar(names[at_name]);
	/* By a change: nothing is asked before the load. */
	masked = x & 63;
	plain = x;
	other = change(masked, plain);
	putchar(names[other]);
	if (kept > 20)
		at(2);
	else
		at(3);
	/* States wait here for a while, which are made again in a test. */
	for (volatile int i = 0; i < 5000; i++)
		;
	putchar('0' + kept % 10);
	return 0;
}
