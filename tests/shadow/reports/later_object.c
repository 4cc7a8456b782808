//@ diff: --max-around-instructions 0 --deterministic --object x=05 PROGRAM
//@ diff: --max-around-instructions 0 --deterministic --object x=05 --max-point-instructions 1000 PROGRAM
//@ diff: --max-around-instructions 0 --deterministic --object x=05 --max-point-instructions 0 PROGRAM
// A test case has what the program asks for long after the versions have parted, as zeros. Where a budget ends
// the path before, the report says that inputs may be missing.
#include <stdio.h>
#include <umbra.h>

int main(void)
{
	unsigned char x, y, z;
	unsigned sum = 1;
	umbra_symbolic(&x, 1, "x");
	if (change(x > 9, x > 8))
		puts("large");
	for (int round = 0; round < 100000; round++)
		sum = sum * 3 + 1;
	umbra_symbolic(&y, 1, "y");
	umbra_symbolic(&z, 1, "z");
	return y == z ? 3 : 4 + (int)(sum & 1);
}
