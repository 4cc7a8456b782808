//@ diff: --complete --function middle PROGRAM
//@ diff: --complete --function smaller PROGRAM
// One function of a program, with any arguments.
#include <umbra.h>

unsigned middle(unsigned a, unsigned b)
{
	if (change(a > b, a >= b))
		return b + change((a - b) / 2, (a - b) >> 1);
	return a + (b - a) / 2;
}

int smaller(int a, int b)
{
	return change(a < b ? a : b, b > a ? a : b);
}

int main(void)
{
	return (int)middle(2, 4) + smaller(1, 2);
}
