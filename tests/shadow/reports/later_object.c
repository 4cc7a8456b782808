//@ diff: --max-point-instructions 1 --object x=05 PROGRAM
// A test case that is made where the versions part has what they ask for later, as zeros.
#include <stdio.h>
#include <umbra.h>

int main(void)
{
	unsigned char x, y, z;
	umbra_symbolic(&x, 1, "x");
	if (change(x > 9, x > 8))
		puts("large");
	umbra_symbolic(&y, 1, "y");
	umbra_symbolic(&z, 1, "z");
	return y == z ? 3 : 4;
}
