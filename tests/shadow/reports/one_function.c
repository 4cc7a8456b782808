//@ diff: --complete --function middle PROGRAM
//@ diff: --complete --function smaller PROGRAM
//@ diff: --complete --function next PROGRAM
//@ diff: --complete --function far PROGRAM
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

int next(int a)
{
	return change(a + 1, a == 77 ? a : a + 1);
}

double far(double a, int b)
{
	if (change(b > 5, b > 6))
		return b == 6 ? a : 1;
	return b == 6 ? a + 1 : 2;
}

int main(void)
{
	return (int)middle(2, 4) + smaller(1, 2) + next(1) + (int)far(1, 2);
}
