//@ domain: x=i8:-12..12 y=i8:-12..12
// Floating-point numbers: constants, precision, operators, comparisons with what is no number.
#include "catalogue.h"

int diff_float_constant(int x, int y)
{
	double d = x;
//- old
	return d * 0.5 > 2.0;
//- new
	return d * 0.5 > 2.6;
//- both
}

int diff_float_operator(int x, int y)
{
	float f = x;
//- old
	return (int)(f + 0.5f);
//- new
	return (int)(f - 0.5f);
//- both
}

int diff_float_to_integer(int x, int y)
{
//- old
	double r = x / 2;
//- new
	double r = x / 2.0;
//- both
	return r * 2 == x;
}

int diff_float_compare(int x, int y)
{
	double a = x, b = y;
//- old
	return a < b;
//- new
	return a <= b;
//- both
}

int diff_not_a_number(int x, int y)
{
	double a = x == 0 ? __builtin_nan("") : x;
//- old
	return a < 3.0;
//- new
	return !(a >= 3.0);
//- both
}

int diff_negative_zero(int x, int y)
{
	double a = x;
//- old
	double r = 0.0 - a;
//- new
	double r = -a;
//- both
	return __builtin_signbit(r) ? 1 : 0;
}

int same_float_widened(int x, int y)
{
//- old
	float f = x;
//- new
	double f = x;
//- both
	return f > 3 ? 1 : 2;
}

int same_float_turned(int x, int y)
{
	double d = x;
//- old
	if (d > 2.5)
		return 1;
	return 2;
//- new
	if (2.5 < d)
		return 1;
	return 2;
//- both
}
