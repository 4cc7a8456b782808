//@ domain: x=i8:-12..12 y=i8:-12..12
// Conditions: other operators, other constants, other parts.
#include "catalogue.h"

int diff_less_or_equal(int x, int y)
{
//- old
	if (x < y)
//- new
	if (x <= y)
//- both
		return 1;
	return 2;
}

int diff_constant(int x, int y)
{
//- old
	if (x > 3)
//- new
	if (x > 4)
//- both
		emit('a');
	return y;
}

int diff_operator(int x, int y)
{
//- old
	if (x == y)
//- new
	if (x != y)
//- both
		return x;
	return y + 1;
}

int diff_signedness(int x, int y)
{
//- old
	if (x < y)
//- new
	if ((unsigned)x < (unsigned)y)
//- both
		return 10;
	return 20;
}

int diff_condition_added(int x, int y)
{
//- old
	if (x > 0)
//- new
	if (x > 0 && y > 0)
//- both
		return 7;
	return 8;
}

int diff_condition_removed(int x, int y)
{
//- old
	if (x > 0 || y < -3)
//- new
	if (x > 0)
//- both
		return 7;
	return 8;
}

int diff_and_or(int x, int y)
{
//- old
	if (x > 2 && y > 2)
//- new
	if (x > 2 || y > 2)
//- both
		emit('x');
	return 0;
}

int diff_negated(int x, int y)
{
//- old
	if (x > y)
//- new
	if (!(x > y))
//- both
		return 1;
	return 0;
}

int diff_guard_added(int x, int y)
{
//- new
	if (y == 5)
		return -1;
//- both
	return x + y;
}

int diff_guard_removed(int x, int y)
{
//- old
	if (x == 0)
		return 100;
//- both
	return x * 2 + y;
}

int diff_else_added(int x, int y)
{
	int r = y;
	if (x > 0)
		r = 1;
//- new
	else
		r = 2;
//- both
	return r;
}

int diff_else_if(int x, int y)
{
	if (x < 0)
		return 1;
//- new
	else if (x < y)
		return 3;
//- both
	else
		return 2;
}

int diff_ternary(int x, int y)
{
//- old
	return x > y ? x : y;
//- new
	return x >= 0 ? x : y;
//- both
}

int diff_nested(int x, int y)
{
	if (x > 0) {
//- old
		if (y > 0)
//- new
		if (y > 1)
//- both
			return 1;
		return 2;
	}
	return 3;
}

int diff_order_of_tests(int x, int y)
{
//- old
	if (x > 0)
		return 1;
	if (y > 0)
		return 2;
//- new
	if (y > 0)
		return 2;
	if (x > 0)
		return 1;
//- both
	return 3;
}

int diff_case_added(int x, int y)
{
	switch (x) {
	case 1:
		return 10;
	case 2:
		return 20;
//- new
	case 3:
		return 30;
//- both
	default:
		return y;
	}
}

int diff_case_value(int x, int y)
{
	switch (x) {
//- old
	case 4:
//- new
	case 5:
//- both
		return 1;
	case 7:
		return 2;
	}
	return y;
}

int diff_falls_through(int x, int y)
{
	int r = 0;
	switch (x & 3) {
	case 0:
		r += 1;
//- old
		break;
//- both
	case 1:
		r += 2;
		break;
	default:
		r = y;
	}
	return r;
}

int diff_mask(int x, int y)
{
//- old
	if (x & 1)
//- new
	if (x & 3)
//- both
		return y;
	return -y;
}

int same_operand_conditional(int x, int y)
{
	int a[1] = { x };
//- old
	emit(a[0]);
//- new
	emit(a[0] < 5 ? a[0] : a[0] + 256);
//- both
	return y;
}

int same_operand_unconditional(int x, int y)
{
	int a[1] = { x };
//- old
	emit(a[0] < 5 ? a[0] : a[0] + 256);
//- new
	emit(a[0]);
//- both
	return y;
}

int diff_operand_conditional(int x, int y)
{
	int a[1] = { x };
//- old
	emit(a[0]);
//- new
	emit(a[0] < 5 ? a[0] : a[0] + 1);
//- both
	return y;
}
