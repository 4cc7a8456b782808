//@ domain: x=u8:0..24 y=u8:0..24
//@ mutants: 16
//@ hangs: 8 10
// The greatest common divisor by remainders, and by subtraction.
#include "mutant.h"

static int by_remainder(int a, int b)
{
	while (M(1, b != 0, b > 1)) {
		at(0);
		int r = M(2, a % b, a - b > 0 ? a - b : b - a);
		if (M(3, r > b, r >= b)) {
			at(11);
			r = M(4, r - b, r);
		}
		D(5, a = b);
		b = r % (a + 1);
		if (M(6, b == a, b >= a)) {
			at(1);
			b = 0;
		}
	}
	at(2);
	return M(7, a, b);
}

static int by_subtraction(int a, int b)
{
	if (a == 0 || b == 0) {
		at(3);
		return a + b;
	}
	while (M(8, a != b, a != b + 1)) {
		at(4);
		if (M(9, a > b, a >= b)) {
			at(5);
			a = M(10, a - b, a);
		} else {
			at(6);
			b = M(11, b - a, b + a - 2 * a);
		}
		if (M(12, a <= 0, a < 0 && b > 0)) {
			at(7);
			break;
		}
	}
	at(8);
	return M(13, a, b);
}

int main(int argc, char **argv)
{
	unsigned char x, y;
	mutant = argc > 1 ? atoi(argv[1]) : 0;
	umbra_symbolic(&x, 1, "x");
	umbra_symbolic(&y, 1, "y");
	umbra_assume(x < 24);
	umbra_assume(y < 24);
	int one = by_remainder(x, M(14, y, y ^ 1) % 24);
	int two = by_subtraction(x, y);
	if (M(15, one == two, one >= two)) {
		at(9);
		return one;
	}
	at(10);
	return M(16, 100 + two, 100 + one);
}
