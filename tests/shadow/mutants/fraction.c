//@ domain: x=i8:-8..8 y=i8:-8..8
//@ mutants: 17
//@ combined: 102 305
// Simplification of a fraction, with its sign above the line.
#include <stdio.h>
#include "mutant.h"

static int divisor(int a, int b)
{
	int best = 1;
	for (int d = M(1, 2, 3); M(2, d <= a && d <= b, d < a && d < b); d++) {
		at(0);
		if (M(3, a % d == 0 && b % d == 0, a % d == 0)) {
			at(1);
			best = d;
		}
	}
	at(2);
	return best;
}

int main(int argc, char **argv)
{
	signed char x, y;
	mutant = argc > 1 ? atoi(argv[1]) : 0;
	umbra_symbolic(&x, 1, "x");
	umbra_symbolic(&y, 1, "y");
	umbra_assume(x >= -8 && x < 8);
	umbra_assume(y >= -8 && y < 8);
	int above = x, below = y;
	if (M(4, below == 0, below <= 0 && below >= 0)) {
		at(3);
		puts(M(5, "undefined", "not defined"));
		return 1;
	}
	if (M(6, below < 0, below <= 0)) {
		at(4);
		D(7, above = -above);
		below = M(8, -below, 0 - below);
	}
	at(5);
	int sign = 1;
	if (M(9, above < 0, above < 1)) {
		at(6);
		sign = M(10, -1, 1);
		above = -above;
	}
	at(7);
	int d = divisor(above, M(11, below, below + 1));
	D(12, above /= d);
	below /= M(13, d, d > 1 ? d : 1);
	if (M(14, below == 1, above == 1)) {
		at(8);
		return M(15, sign * above, above * sign) & 0x7f;
	}
	at(9);
	return (M(16, sign, 1) * above + M(17, 16 * below, below << 4)) & 0x7f;
}
