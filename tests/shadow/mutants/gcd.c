//@ domain: x=u8:0..6 y=u8:0..6
//@ mutants: 14
//@ combined: 305 713
//@ hangs: 6 8
// The greatest common divisor by remainders, and by subtraction.
#include "mutant.h"

static int by_remainder(int a, int b)
{
	while (M(1, b != 0, b > 1)) {
		at(0);
		int r = M(2, a % b, (a + 1) % b);
		D(3, a = b);
		b = M(4, r, r & 6);
	}
	at(1);
	return M(5, a, a + b);
}

static int by_subtraction(int a, int b)
{
	if (a == 0 || b == 0) {
		at(2);
		return a + b;
	}
	while (M(6, a != b, a != b + 1)) {
		at(3);
		if (M(7, a > b, a >= b)) {
			at(4);
			a = M(8, a - b, a);
		} else {
			at(5);
			b = M(9, b - a, b + a - 2 * a);
		}
	}
	at(6);
	return M(10, a, b);
}

int main(int argc, char **argv)
{
	unsigned char x, y;
	mutant = argc > 1 ? atoi(argv[1]) : 0;
	umbra_symbolic(&x, 1, "x");
	umbra_symbolic(&y, 1, "y");
	umbra_assume(x < 6);
	umbra_assume(y < 6);
	int one = by_remainder(x, M(11, y, y ^ 1));
	int two = by_subtraction(x, y);
	if (M(12, one == two, one >= two)) {
		at(7);
		return M(13, one, two);
	}
	at(8);
	return M(14, 100 + two, 100 + one);
}
