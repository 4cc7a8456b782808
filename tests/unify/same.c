//@ domain: x=i8:-12..12 y=i8:-12..12
// Null patches: nothing may be reported.
#include "catalogue.h"

int same_comment(int x, int y)
{
//- new
	/* The sum. */

//- both
	return x + y;
}

//- old
static int old_name(int a)
{
	return a * 3 + 1;
}
//- new
static int new_name(int a)
{
	return a * 3 + 1;
}
//- both

int same_function_renamed(int x, int y)
{
//- old
	return old_name(x) + y;
//- new
	return new_name(x) + y;
//- both
}

int same_variable_renamed(int x, int y)
{
//- old
	int a = x + 1;
	return a * y;
//- new
	int sum = x + 1;
	return sum * y;
//- both
}

int same_turned_condition(int x, int y)
{
//- old
	if (x > y)
		return 1;
	return 2;
//- new
	if (x <= y)
		return 2;
	return 1;
//- both
}

int same_exchanged_sides(int x, int y)
{
//- old
	if (x < y)
//- new
	if (y > x)
//- both
		return x;
	return y;
}

int same_not_not(int x, int y)
{
//- old
	if (x)
//- new
	if (!!x)
//- both
		return 1;
	return y;
}

int same_else_removed(int x, int y)
{
	if (x > 0) {
		return 1;
//- old
	} else {
		return y;
	}
//- new
	}
	return y;
//- both
}

int same_statements_exchanged(int x, int y)
{
//- old
	int a = x * 2;
	int b = y * 3;
//- new
	int b = y * 3;
	int a = x * 2;
//- both
	return a - b;
}

//- new
static int pulled_out(int a, int b)
{
	if (a > b)
		return a;
	return b;
}
//- both

int same_function_extracted(int x, int y)
{
//- old
	int m;
	if (x > y)
		m = x;
	else
		m = y;
	return m + 1;
//- new
	return pulled_out(x, y) + 1;
//- both
}

//- old
static int put_in(int a)
{
	return a & 7;
}
//- both

int same_function_inlined(int x, int y)
{
//- old
	return put_in(x) + y;
//- new
	return (x & 7) + y;
//- both
}

int same_for_to_while(int x, int y)
{
	int sum = 0;
//- old
	for (int i = 0; i < (x & 3); i++)
		sum += y;
//- new
	int i = 0;
	while (i < (x & 3)) {
		sum += y;
		i++;
	}
//- both
	return sum;
}

int same_loop_rotated(int x, int y)
{
	int n = x & 3, sum = 0;
//- old
	while (n > 0) {
		sum += y;
		n--;
	}
//- new
	if (n > 0) {
		do {
			sum += y;
			n--;
		} while (n > 0);
	}
//- both
	return sum;
}

int same_counting_down(int x, int y)
{
	int sum = 0;
//- old
	for (int i = 0; i < 3; i++)
//- new
	for (int i = 3; i > 0; i--)
//- both
		sum += x;
	return sum + y;
}

int same_widened(int x, int y)
{
//- old
	int sum = x + y;
//- new
	long sum = x + y;
//- both
	return (int)(sum * 2);
}

int same_doubled(int x, int y)
{
//- old
	return x * 2 + y;
//- new
	return x + x + y;
//- both
}

int same_distributed(int x, int y)
{
//- old
	return 4 * (x + y);
//- new
	return 4 * x + 4 * y;
//- both
}

int same_conditions_merged(int x, int y)
{
//- old
	if (x > 0)
		if (y > 0)
			return 1;
//- new
	if (x > 0 && y > 0)
		return 1;
//- both
	return 0;
}

int same_conditions_split(int x, int y)
{
//- old
	if (x > 3 || y > 3)
		return 5;
//- new
	if (x > 3)
		return 5;
	if (y > 3)
		return 5;
//- both
	return 6;
}

int same_conditions_exchanged(int x, int y)
{
//- old
	if (x > 3 && y > 3)
//- new
	if (y > 3 && x > 3)
//- both
		return 5;
	return 6;
}

int same_ternary(int x, int y)
{
//- old
	int r;
	if (x > y)
		r = x;
	else
		r = y;
//- new
	int r = x > y ? x : y;
//- both
	return r;
}

int same_early_return(int x, int y)
{
//- old
	int r = 0;
	if (x > 0)
		r = y;
	return r;
//- new
	if (x <= 0)
		return 0;
	return y;
//- both
}

int same_switch_to_ifs(int x, int y)
{
//- old
	switch (x) {
	case 1:
		return 4;
	case 2:
		return 5;
	default:
		return y;
	}
//- new
	if (x == 1)
		return 4;
	if (x == 2)
		return 5;
	return y;
//- both
}

int same_cases_reordered(int x, int y)
{
	switch (x) {
//- old
	case 1:
		return 4;
	case 2:
		return 5;
//- new
	case 2:
		return 5;
	case 1:
		return 4;
//- both
	}
	return y;
}

int same_goto_removed(int x, int y)
{
	int r = y;
//- old
	if (x < 0)
		goto out;
	r++;
out:
//- new
	if (x >= 0)
		r++;
//- both
	return r;
}

int same_less_or_equal(int x, int y)
{
//- old
	return x < y + 1;
//- new
	return x <= y;
//- both
}

int same_mask(int x, int y)
{
//- old
	return (x & 7) + y;
//- new
	return ((unsigned)x % 8) + y;
//- both
}

int same_pointer_or_index(int x, int y)
{
	int a[4] = { 1, 2, 3, 4 };
//- old
	return a[x & 3] + y;
//- new
	return *(a + (x & 3)) + y;
//- both
}

int same_variable_added(int x, int y)
{
//- old
	return (x + y) * (x + y);
//- new
	int sum = x + y;
	return sum * sum;
//- both
}

int same_dead_code(int x, int y)
{
	int r = x;
//- new
	if (x > 100)
		r = 0;
//- both
	return r + y;
}

int same_assigned_twice(int x, int y)
{
//- old
	int r = x + y;
//- new
	int r = 0;
	r = x + y;
//- both
	return r;
}


//- old
static int one_parameter(int a)
{
	return a + 5;
}
//- new
static int one_parameter(int a, int unused)
{
	return a + 5;
}
//- both

int same_parameter_unused(int x, int y)
{
//- old
	return one_parameter(x) + y;
//- new
	return one_parameter(x, y) + y;
//- both
}

int same_output_in_helper(int x, int y)
{
//- old
	emit('a' + (x & 3));
	emit('b');
//- new
	int c = 'a' + (x & 3);
	emit(c);
	emit('b');
//- both
	return y;
}

int same_block_added(int x, int y)
{
//- old
	int r = x - y;
	if (r < 0)
		r = -r;
//- new
	int r;
	{
		r = x - y;
		if (r < 0)
			r = -r;
	}
//- both
	return r;
}

int same_boolean(int x, int y)
{
//- old
	if (x > y)
		return 1;
	else
		return 0;
//- new
	return x > y;
//- both
}

int same_minimum(int x, int y)
{
//- old
	return x < y ? x : y;
//- new
	return y <= x ? y : x;
//- both
}

int same_compound(int x, int y)
{
	int r = x;
//- old
	r = r + y;
	r = r | 1;
//- new
	r += y;
	r |= 1;
//- both
	return r;
}

int same_copy_of_string(int x, int y)
{
	char s[4];
//- old
	s[0] = 'a';
	s[1] = 'b';
	s[2] = 0;
//- new
	strcpy(s, "ab");
//- both
	return s[x & 1] + y;
}

int same_cleared(int x, int y)
{
	char s[4];
//- old
	memset(s, 0, 4);
//- new
	for (int i = 0; i < 4; i++)
		s[i] = 0;
//- both
	s[x & 3] = 1;
	return s[y & 3];
}

int same_constant_named(int x, int y)
{
//- old
	return x > 7 ? 7 : x;
//- new
	enum { MOST = 7 };
	return x > MOST ? MOST : x;
//- both
}

int same_checked_before(int x, int y)
{
	int d = y | 1;
//- new
	if (d == 0)
		return -1;
//- both
	return x / d;
}

int same_sum_in_other_order(int x, int y)
{
	int a[3] = { x, y, 4 };
//- old
	int sum = a[0] + a[1] + a[2];
//- new
	int sum = a[2] + a[1] + a[0];
//- both
	return sum;
}

int same_unsigned_counter(int x, int y)
{
	int sum = 0;
//- old
	for (int i = 0; i < 4; i++)
//- new
	for (unsigned i = 0; i < 4; i++)
//- both
		sum += x;
	return sum + y;
}

int same_nested_if_turned(int x, int y)
{
//- old
	if (x > 0) {
		if (y > 0)
			return 1;
		return 2;
	}
	return 3;
//- new
	if (x <= 0)
		return 3;
	if (y > 0)
		return 1;
	return 2;
//- both
}

int same_result_variable(int x, int y)
{
//- old
	if (x == y)
		return 0;
	if (x > y)
		return 1;
	return -1;
//- new
	int r = 0;
	if (x > y)
		r = 1;
	else if (x < y)
		r = -1;
	return r;
//- both
}

int same_by_pointer(int x, int y)
{
//- old
	int a = x;
	a += y;
	return a;
//- new
	int a = x, *p = &a;
	*p += y;
	return *p;
//- both
}

//- old
static int twice(int a) { return a + a; }
static int thrice(int a) { return a + a + a; }
//- new
static int thrice(int a) { return a + a + a; }
static int twice(int a) { return a + a; }
//- both

int same_functions_reordered(int x, int y)
{
	return twice(x) + thrice(y);
}

//- old
#define FLAGS 4
//- new
#define FLAGS 5
//- both
static char flags[FLAGS];

int same_array_grown_and_filled(int x, int y)
{
	/* After dash: one more flag, which the old version does not have. */
	for (int i = 0; i < FLAGS; i++)
		flags[i] = 2;
	flags[y & 3] = 1;
	return flags[x & 3];
}

//- old
static const char *program_version = "3.8";
//- new
static const char *program_version = "3.10";
//- both

int same_number_of_version(int x, int y)
{
	/* The number of the version is noise: only that it is one is looked at. */
	return x + (program_version[0] == '3' ? y : 0);
}

int same_assertion_moved(int x, int y)
{
//- new
	/* Lines of assertions are noise. */

//- both
	umbra_assert(x < 100);
	return x + y;
}
