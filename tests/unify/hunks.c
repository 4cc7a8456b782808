//@ domain: x=i8:-12..12 y=i8:-12..12
// Patches of several hunks, and conditions that are split, merged, turned or exchanged and change their meaning.
#include "catalogue.h"

static int clamp(int a)
{
//- old
	if (a < -5)
		return -5;
//- new
	if (a < -6)
		return -6;
//- both
	return a;
}

static int scale(int a)
{
//- old
	return a * 2;
//- new
	return a * 3;
//- both
}

int diff_two_functions(int x, int y)
{
	return scale(clamp(x)) + y;
}

int same_hunks_cancel(int x, int y)
{
//- old
	int a = x + 1;
	int b = y - 1;
//- new
	int a = x + 2;
	int b = y - 2;
//- both
	return a + b;
}

int diff_hunks_cancel_partly(int x, int y)
{
//- old
	int a = x + 1;
//- new
	int a = x + 2;
//- both
	if (a > 4)
		emit('!');
//- old
	return a - 1 + y;
//- new
	return a - 2 + y;
//- both
}

int diff_split_with_else(int x, int y)
{
//- old
	if (x > 0 && y > 0)
		return 1;
//- new
	if (x > 0) {
		if (y > 0)
			return 1;
		return 3;
	}
//- both
	return 2;
}

int diff_merged_without_else(int x, int y)
{
//- old
	if (x > 2)
		return 1;
	else if (y > 2)
		return 2;
//- new
	if (x > 2 || y > 2)
		return 1;
//- both
	return 3;
}

int diff_turned_one_off(int x, int y)
{
//- old
	if (x > y) {
		emit('a');
		return 1;
	}
	emit('b');
	return 2;
//- new
	if (x < y) {
		emit('b');
		return 2;
	}
	emit('a');
	return 1;
//- both
}

int diff_exchanged_effects(int x, int y)
{
	int n = 0;
//- old
	if (n++ < x && n++ < y)
//- new
	if (n++ < y && n++ < x)
//- both
		n += 10;
	return n;
}

int diff_condition_hoisted(int x, int y)
{
	int sum = 0;
//- old
	for (int i = 0; i < 3; i++)
		if (sum <= y)
			sum += x;
//- new
	if (sum <= y)
		for (int i = 0; i < 3; i++)
			sum += x;
//- both
	return sum;
}

int same_condition_hoisted(int x, int y)
{
	int sum = 0;
//- old
	for (int i = 0; i < 3; i++)
		if (y > 0)
			sum += x;
//- new
	if (y > 0)
		for (int i = 0; i < 3; i++)
			sum += x;
//- both
	return sum;
}

int diff_moved_into_branch(int x, int y)
{
	int r = 0;
//- old
	r += y;
//- both
	if (x > 0) {
//- new
		r += y;
//- both
		r *= 2;
	}
	return r;
}

int diff_moved_behind_use(int x, int y)
{
	int r = x;
//- old
	r ^= y;
//- both
	emit(r);
//- new
	r ^= y;
//- both
	return r;
}

int diff_moved_across_call(int x, int y)
{
//- old
	emit('a');
//- both
	if (x < 0)
		emit('n');
//- new
	emit('a');
//- both
	return y;
}

int diff_loop_split(int x, int y)
{
	int a[4] = { 0 };
//- old
	for (int i = 0; i < 4; i++) {
		a[i] = i * x;
		a[(i + 1) & 3] += y;
	}
//- new
	for (int i = 0; i < 4; i++)
		a[i] = i * x;
	for (int i = 0; i < 4; i++)
		a[(i + 1) & 3] += y;
//- both
	return a[0] + 3 * a[1] + 7 * a[3];
}

int diff_check_weakened(int x, int y)
{
//- old
	if (x < 0 || x >= 8)
//- new
	if (x < 0 || x > 8)
//- both
		return -1;
	int a[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	return a[x] + y;
}

int diff_everything(int x, int y)
{
//- old
	int r = 0;
	for (int i = 0; i < (x & 3); i++)
		r += y;
	if (r > 10)
		emit('>');
	return r;
//- new
	int i = x & 3;
	int total = 0;
	while (i--)
		total += y;
	if (total >= 10)
		emit('>');
	return total;
//- both
}

int diff_short_circuit(int x, int y)
{
	int n = 0;
//- old
	int both = (x > 0) && (n = 1, y > 0);
//- new
	int both = (x > 0) & (n = 1, y > 0);
//- both
	return both * 2 + n;
}

int diff_min_to_max(int x, int y)
{
//- old
	int m = x < y ? x : y;
//- new
	int m = x < y ? y : x;
//- both
	return m < 3 ? m : 3;
}

int diff_off_by_one_copy(int x, int y)
{
	char from[4] = { 'a', 'b', 'a' + (x & 3), 0 }, to[4] = { 'z', 'z', 'z', 'z' };
//- old
	memcpy(to, from, strlen(from));
//- new
	memcpy(to, from, strlen(from) + 1);
//- both
	return to[y & 3];
}

int diff_macro(int x, int y)
{
//- old
#define TWICE(a) a + a
//- new
#define TWICE(a) ((a) + (a))
//- both
	return TWICE(x) * y;
#undef TWICE
}

int diff_assignment_in_condition(int x, int y)
{
//- old
	if (x == y)
//- new
	if ((x = y))
//- both
		return x + 1;
	return 0;
}

int diff_uses_old_value(int x, int y)
{
	int a = x, b = y;
//- old
	int t = a;
	a = b;
	b = t;
//- new
	a = b;
	b = a;
//- both
	return a * 32 + b;
}

int diff_loop_carried(int x, int y)
{
	int a = 0, b = 1;
	for (int i = 0; i < (x & 7); i++) {
//- old
		int t = a + b;
		a = b;
		b = t;
//- new
		a = b;
		b = a + b;
//- both
	}
	return a + (y & 1);
}

int same_swap(int x, int y)
{
	int a = x, b = y;
//- old
	int t = a;
	a = b;
	b = t;
//- new
	a ^= b;
	b ^= a;
	a ^= b;
//- both
	return a * 32 + b;
}
