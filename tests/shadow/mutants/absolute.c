//@ domain: x=i8:-20..20 y=i8:-20..20
//@ mutants: 18
//@ combined: 102 305
// Absolute value, sign, maximum and distance of two numbers.
#include "mutant.h"

static int absolute(int n)
{
	if (M(1, n < 0, n <= 0)) {
		at(0);
		return M(2, -n, n);
	}
	at(1);
	return M(3, n, -n);
}

static int sign(int n)
{
	if (M(4, n > 0, n >= 0)) {
		at(2);
		return M(5, 1, 0);
	}
	if (M(6, n < 0, n != 0)) {
		at(3);
		return -1;
	}
	at(4);
	return 0;
}

static int maximum(int a, int b)
{
	int m = a;
	if (M(7, b > a, b >= a)) {
		at(5);
		D(8, m = b);
	}
	at(6);
	return m;
}

int main(int argc, char **argv)
{
	signed char x, y;
	mutant = argc > 1 ? atoi(argv[1]) : 0;
	umbra_symbolic(&x, 1, "x");
	umbra_symbolic(&y, 1, "y");
	umbra_assume(x >= -20 && x < 20);
	umbra_assume(y >= -20 && y < 20);
	int d = absolute(M(9, x - y, y - x));
	if (M(10, d > 30, d >= 30)) {
		at(7);
		d = M(11, 30, 31);
	}
	at(8);
	int s = sign(M(12, x, -x));
	int m = maximum(x, M(13, y, y + 1));
	int positive = absolute(m);
	D(14, m = positive);
	if (M(15, s == 1 && m > 12, s == 1 || m > 12)) {
		at(9);
		return M(16, d, d / 2);
	}
	at(10);
	return M(17, m, m & 0x7f) ^ M(18, s + 1, s * s + s + 1);
}
