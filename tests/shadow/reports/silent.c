//@ diff: --complete PROGRAM
//@ diff: --complete --no-replay PROGRAM
// They part, and whatever either asks then, both say the same.
#include <stdio.h>
#include <umbra.h>

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int large;
	if (change(x & 1, x & 2))
		large = x > 99;
	else
		large = !(x < 100);
	return large;
}
