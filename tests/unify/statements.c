//@ domain: x=i8:-12..12 y=i8:-12..12
// Statements: added, removed, moved, other values.
#include "catalogue.h"

int diff_assignment_added(int x, int y)
{
	int r = x;
//- new
	r += y;
//- both
	return r;
}

int diff_assignment_removed(int x, int y)
{
	int r = x;
//- old
	if (y > 2)
		r = 0;
//- both
	return r;
}

int diff_output_added(int x, int y)
{
	emit('a');
//- new
	if (x == y)
		emit('b');
//- both
	emit('c');
	return 0;
}

int diff_output_changed(int x, int y)
{
//- old
	emit('a' + (x & 7));
//- new
	emit('b' + (x & 7));
//- both
	return y;
}

int diff_outputs_exchanged(int x, int y)
{
//- old
	emit(x);
	emit(y);
//- new
	emit(y);
	emit(x);
//- both
	return 0;
}

int diff_constant_result(int x, int y)
{
	if (x < y)
//- old
		return 3;
//- new
		return 4;
//- both
	return 0;
}

int diff_operator(int x, int y)
{
//- old
	return x + y;
//- new
	return x - y;
//- both
}

int diff_precedence(int x, int y)
{
//- old
	return x + y * 2;
//- new
	return (x + y) * 2;
//- both
}

int diff_variable(int x, int y)
{
	int a = x * 3, b = y * 3;
//- old
	return a + 1;
//- new
	return b + 1;
//- both
}

int diff_shift(int x, int y)
{
//- old
	return (x << 1) + y;
//- new
	return (x << 2) + y;
//- both
}

int diff_division(int x, int y)
{
	int d = y | 1;
//- old
	return x / d;
//- new
	return x % d;
//- both
}

int diff_cast(int x, int y)
{
//- old
	return (unsigned char)(x + y);
//- new
	return (signed char)(x + y);
//- both
}

int diff_widened(int x, int y)
{
//- old
	unsigned char sum = x * y;
//- new
	int sum = x * y;
//- both
	return sum;
}

int diff_array_index(int x, int y)
{
	int a[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
//- old
	return a[x & 7];
//- new
	return a[(x + 1) & 7];
//- both
}

int diff_array_contents(int x, int y)
{
//- old
	int a[4] = { 1, 2, 3, 4 };
//- new
	int a[4] = { 1, 2, 4, 4 };
//- both
	return a[(x + y) & 3];
}

int diff_early_return(int x, int y)
{
	int r = x & 3;
//- new
	if (r == y)
		return r;
//- both
	r = r * 5;
	return r + y;
}

int diff_goto(int x, int y)
{
	int r = 0;
	if (x > 4)
//- old
		goto out;
//- new
		goto done;
//- both
	r = y;
done:
	r++;
out:
	return r;
}

int diff_increment(int x, int y)
{
	int i = x;
//- old
	int r = i++;
//- new
	int r = ++i;
//- both
	return r * 16 + i + y;
}

int diff_stored(int x, int y)
{
	int a[2] = { x, y };
	int *p = a;
//- old
	p[0] = 9;
//- new
	p[1] = 9;
//- both
	return a[0] * 100 + a[1];
}

int diff_message(int x, int y)
{
	if (x > 10)
//- old
		write(1, "too large", 9);
//- new
		write(1, "too big", 7);
//- both
	return y;
}

int diff_two_hunks(int x, int y)
{
//- old
	int r = x;
//- new
	int r = x + 1;
//- both
	if (y > 0)
		r *= 2;
	emit(r);
//- old
	return r - 1;
//- new
	return r - 2;
//- both
}

static int counter;

int diff_global(int x, int y)
{
	counter = x;
//- new
	counter += y;
//- both
	emit(counter);
	return 0;
}

int diff_pointer(int x, int y)
{
	int a = x, b = y;
//- old
	int *p = &a;
//- new
	int *p = x > 3 ? &b : &a;
//- both
	*p += 1;
	return a * 64 + b;
}

int diff_initialised(int x, int y)
{
//- old
	int r = 0;
//- new
	int r = 1;
//- both
	if (x > y)
		r = 5;
	return r;
}
